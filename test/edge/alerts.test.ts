import { expect, it, onTestFinished } from "vitest";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { createNotifyStore } from "../../src/notify/store.ts";
import { importKek } from "../../src/storage/client/envelope.ts";
import { openDatabase } from "../../src/storage/client/safe-client.ts";
import { BY } from "../support/by.ts";
import { deployment } from "../support/deployment.ts";
import { fireCron } from "../support/edge-live.ts";
import { answering } from "../support/live.ts";
import { decrypt, EXAMPLE, pushService } from "../support/push.ts";
import { gridRequest } from "../support/requests.ts";

it("a cron alerts about events since the last one, sends a heartbeat, and is measured", async () => {
  const receiver = await answering(() => ({ body: "" }));
  const browser = await pushService(() => 201);
  const listener = await answering(() => ({ body: "OK" }));
  const kek = new Uint8Array(32).fill(5);
  const edge = await deployment(1, {
    only: ["kraken"],
    queue: false,
    settings: {
      EDGEMAKER_KEK: Buffer.from(kek).toString("hex"),
      EDGEMAKER_OUTBOUND_HOSTS: `${[receiver, listener, browser].map(({ url }) => new URL(url).host)}`,
      EDGEMAKER_HEARTBEAT_URL: `${listener.url}/ping`,
    },
  });
  onTestFinished(() => edge.close());
  const context = await openDatabase({
    client: { url: edge.database.url, fetch },
    local: nodeLocal,
    migrations: [],
    kind: "live",
  });
  const store = createNotifyStore(context, [await importKek(kek)]);
  const channel = { name: "ops", kind: "webhook", level: "info", quiet: null, isDaily: false } as const;
  await store.addChannel(channel, { url: receiver.url }, BY);
  const { browserPublic, secret, senderPublic, senderPrivate } = EXAMPLE;
  await store.addChannel(
    { ...channel, name: "desk", kind: "browser" },
    {
      url: browser.url,
      "browser key": browserPublic,
      "browser secret": secret,
      "sender key": `${senderPublic}.${senderPrivate}`,
    },
    BY,
  );
  const worker = await edge.start();
  onTestFinished(() => worker.dispose());
  const symbol = "BTC/USDT";
  await edge.startGrid(worker, gridRequest({ symbol, orderSize: 60 }));
  await fireCron(worker, Date.UTC(2026, 0, 1));
  expect(receiver.requests).toHaveLength(1);
  expect(receiver.requests[0]?.body).toContain("started on BTC/USDT");
  // workerd encrypts as Node does.
  expect(browser.requests.map(({ body }) => decrypt(body))).toEqual([
    expect.stringContaining("started on BTC/USDT"),
  ]);
  await edge.rested();
  await fireCron(worker, Date.UTC(2026, 0, 1, 0, 1));
  expect(receiver.requests).toHaveLength(1);
  expect(listener.requests.map(({ path }) => path)).toEqual(["/ping", "/ping"]);
  const metrics = await worker.dispatchFetch("http://localhost/metrics", {
    headers: { authorization: `Bearer ${edge.database.settings.EDGEMAKER_TOKEN}` },
  });
  expect(await metrics.text()).toMatch(
    /^edgemaker_pass_age_seconds\{exchange="kraken",kind="live"\} [\d.]+$/m,
  );
  expect(edge.troubles).toEqual([]);
});
