/** Streams of the emulated exchanges start passes of the real follower, over real sockets; no tick makes any. */
import { afterEach, expect, it } from "vitest";
import { nodeSockets } from "../../../cli/host/node-runtime.ts";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { startStreams } from "../../../cli/host/server-parts.ts";
import { venueStreams } from "../../../src/adapters/streams/streams.ts";
import { decimal } from "../../../src/kernel/decimal.ts";
import { HOUR } from "../../../src/kernel/time.ts";
import { emulatedExchanges } from "../../support/emulated.ts";
import { runOperation } from "../../support/sandbox.ts";

const REAL = { local: nodeLocal, now: () => Date.now(), pass: () => Date.now() };
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

it.each(["mexc", "gateio", "bitget", "kraken"] as const)(
  "a fill on %s gets its next order without a tick",
  async (name) => {
    const setup = await emulatedExchanges({ names: [name], time: REAL });
    const venue = setup.exchange(name);
    await runOperation(setup.deps, "start_grid", {
      exchange: name,
      symbol: "BTC/USDT",
      gridLevels: 4,
      orderSize: decimal("100"),
      lowerPrice: decimal("57000"),
      upperPrice: decimal("63000"),
    });
    const deps = { ...setup.deps, streams: venueStreams(setup.accessOf, nodeSockets) };
    const follower = startStreams(deps, HOUR, true);
    ends.push(follower.stop, setup.close);
    await follower.refresh();
    const waits = { interval: 20 };
    await expect.poll(() => follower.report().streams, waits).toMatchObject([{ state: "live" }]);
    // All slots have their orders, so none is placed but after a fill.
    await expect.poll(() => venue.open("BTC/USDT").length, waits).toBe(4);
    const [buy] = venue.open("BTC/USDT").filter(({ side }) => side === "buy");
    const count = venue.orders().length;
    venue.fill(buy?.id ?? "");
    await expect.poll(() => venue.orders().length, waits).toBe(count + 1);
    expect(venue.orders().at(-1)).toMatchObject({ side: "sell", status: "open" });
    await expect.poll(() => follower.report().reactions, waits).toMatchObject([{ count: 1 }]);
    const status = await runOperation({ ...deps, streamReport: follower.report }, "get_grid_status", {});
    const text = expect.stringMatching(/^live; \d+\.\d s from a fill to the next order on average$/);
    expect(status).toMatchObject({ strategies: [{ stream: text }] });
  },
);
