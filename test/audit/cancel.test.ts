/** A cancel by hand is told before it leaves, and its event keeps it no longer than a second. */
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeRuntime } from "../../cli/host/node-runtime.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { besideServer } from "../support/beside.ts";
import { BY } from "../support/by.ts";
import { heardLog } from "../support/heard.ts";
import { liveApp } from "../support/live.ts";
import { buy, post } from "../support/orders.ts";
import { eventually } from "../support/server.ts";
import { tempFolder } from "../support/temp.ts";

async function resting() {
  const file = `${tempFolder()}/edge.db`;
  const { client } = nodeRuntime(`file:${file}`, parseConfig({}), heardLog);
  const app = await liveApp(["mexc"], { client });
  const venue = app.venues.mexc;
  const { order } = await (await post(app, buy("mexc"))).json();
  const headers = { authorization: `Bearer ${app.tokens.trade}` };
  const cancel = (path: string) => app.ask(`/api/v1/orders${path}`, { method: "DELETE", headers });
  const cancels = async () =>
    (await app.deps.store.eventsAfter(0, 100)).flatMap(({ kind, message }) =>
      kind === "cancel" ? [message] : [],
    );
  return { app, venue, file, id: order.id as string, cancel, cancels };
}

describe("the event of a cancel", () => {
  it.each([
    [
      "one order",
      (id: string) => `/${id}?exchange=mexc&symbol=BTC/USDT`,
      (id: string) => `${id} BTC/USDT: cancel requested`,
    ],
    ["all orders", () => "?exchange=mexc&symbol=BTC/USDT", () => "all BTC/USDT: cancel of 1 requested"],
  ])("is stored while the exchange has not responded: %s", async (_what, path, format) => {
    const { venue, id, cancel, cancels } = await resting();
    venue.fail({ kind: "hang", route: "cancel", acts: true });
    const asking = cancel(path(id));
    await eventually(
      async () => venue.open().length,
      (open) => open === 0,
    );
    // Whoever dies here has told of it.
    expect(await cancels()).toEqual([format(id)]);
    venue.close();
    await asking;
    expect(await cancels()).toHaveLength(2);
  });

  it("waits at most one second for a locked database, and is written later", async () => {
    const { app, file, cancels } = await resting();
    const other = besideServer(`file:${file}`);
    onTestFinished(() => other.close());
    const lock = await other.transaction("write");
    await lock.execute("update control set kind = kind");
    const result = { account: "", strategy: null, kind: "cancel", message: "asked for" } as const;
    await expect(app.deps.store.noteAhead(result, BY)).rejects.toThrow(/not written after 1000 ms/);
    await lock.rollback();
    await eventually(cancels, ([first]) => first === "asked for");
  });
});
