import { expect, it, onTestFinished } from "vitest";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { startDelivery, startSampling } from "../../cli/host/server-parts.ts";
import type { ServiceDeps } from "../../src/compose/deps.ts";
import { createLiquidityStore } from "../../src/liquidity/store/store.ts";
import { createNotifyStore } from "../../src/notify/store.ts";
import { createReportStore } from "../../src/report/store.ts";
import { importKek } from "../../src/storage/client/envelope.ts";
import { openDatabase } from "../../src/storage/client/safe-client.ts";
import { BY } from "../support/by.ts";
import { eventually } from "../support/command.ts";
import { edgeApp } from "../support/edge.ts";
import { fireCron } from "../support/edge-live.ts";
import { answering } from "../support/live.ts";
import { notifyBox } from "../support/notify.ts";
import { testSandbox } from "../support/sandbox.ts";

const ok = () => ({ body: "" });

it("an exchange that returns no order book delays no alert", async () => {
  const box = await notifyBox();
  const receiver = await answering(ok);
  await box.add("ops", receiver.url);
  const sandbox = await testSandbox();
  let requestCount = 0;
  let giveUp: (reason: Error) => void = () => undefined;
  const deps: ServiceDeps = {
    ...sandbox.deps,
    notify: { ...box.deps.notify, hosts: [] },
    liquidity: {
      store: createLiquidityStore(sandbox.context),
      pairs: [{ exchange: "kraken", symbol: "BTC/USDT" }],
    },
    inTime: () =>
      new Promise((_resolve, reject) => {
        requestCount++;
        giveUp = reject;
      }),
  };
  const [sampling, delivery] = [startSampling(deps, 10), startDelivery(deps, 10)];
  await eventually(
    async () => requestCount,
    (count) => count > 0,
  );
  await box.tell("error", "the ledger and the account differ");
  box.time.pass(60_000);
  await eventually(
    async () => receiver.requests.length,
    (count) => count > 0,
  );
  expect([requestCount, receiver.requests[0]?.body]).toEqual([
    1,
    expect.stringContaining("the ledger and the account differ"),
  ]);
  giveUp(new Error("gone"));
  await Promise.all([sampling.stop(), delivery.stop()]);
});

it.each(["lookout", "liquidity_minutes"])(
  "on the edge, alerts are still sent without the table %s",
  async (table) => {
    const receiver = await answering(ok);
    const kek = new Uint8Array(32).fill(5);
    const app = await edgeApp({
      EDGEMAKER_LIQUIDITY: "kraken:BTC/USDT",
      EDGEMAKER_KEK: Buffer.from(kek).toString("hex"),
      EDGEMAKER_OUTBOUND_HOSTS: new URL(receiver.url).host,
    });
    onTestFinished(() => app.close());
    const context = await openDatabase({
      client: { url: app.url, fetch },
      local: nodeLocal,
      migrations: [],
      kind: "sandbox",
    });
    onTestFinished(() => context.client.close());
    const channel = { name: "ops", kind: "webhook", level: "info", quiet: null, isDaily: false } as const;
    await createNotifyStore(context, [await importKek(kek)]).addChannel(channel, { url: receiver.url }, BY);
    await createReportStore(context).tell({
      strategy: null,
      kind: "notice",
      message: "something is to be told",
    });
    await context.client.batch([`drop table ${table}`], "write");
    await fireCron(app.worker, Date.now());
    expect(receiver.requests.map(({ body }) => body)).toEqual([
      expect.stringContaining("something is to be told"),
    ]);
  },
);
