/** A served program is killed in the middle of a change: after its restart, no order is lost and none is doubled. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { text } from "../../src/kernel/decimal.ts";
import { root } from "../support/bundle.ts";
import { eventually, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import type { Route } from "../venues/dialect.ts";
import { startVenue } from "../venues/index.ts";

const MARKET = { exchange: "bitget", symbol: "BTC/USDT" } as const;
const BUDGET = { quoteBudget: 2000, baseBudget: 0.05 };
const QUOTES = { spreadPercent: 2, size: 100 };

const TABLE = {
  grid: {
    start: { config: { geometry: "range", gridLevels: 4, orderSize: 100, useOwnBase: true } },
    edit: { orderSize: 90 },
  },
  quote: { start: { ...BUDGET, config: QUOTES }, edit: { spreadPercent: 6 } },
  "two-sided": { start: { ...BUDGET, config: QUOTES }, edit: { spreadPercent: 6 } },
} as const;

/** When the program is killed: at a request to the exchange, which then acts on it or not. */
const MOMENTS = {
  "at a read of the market": { routes: ["book", "ticker", "balance", "open"], acts: false },
  "at a cancel that the exchange has made": { routes: ["cancel"], acts: true },
  "at a new order that the exchange never got": { routes: ["create"], acts: false },
  "at a new order that the exchange has accepted": { routes: ["create"], acts: true },
} as const satisfies Record<string, { readonly routes: readonly Route[]; readonly acts: boolean }>;

interface Plan {
  readonly orders: readonly { readonly side: string; readonly price: string; readonly amount: string }[];
}

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly lastStepAt: number;
  readonly openOrders: number;
  readonly startAgain: { readonly config: object };
}

describe.each(Object.entries(TABLE))("a change of %s", (definition, { start, edit }) => {
  it.each(Object.entries(MOMENTS))(
    "is whole or not made after a kill %s",
    async (_moment, { routes, acts }) => {
      const venue = await startVenue("bitget");
      onTestFinished(async () => void (await venue.close()));
      const folder = tempFolder();
      mkdirSync(join(folder, "strategies"));
      cpSync(join(root, "examples/two-sided.ts"), join(folder, "strategies/two-sided.ts"));
      const env = {
        EDGEMAKER_EXCHANGES: "bitget",
        EDGEMAKER_VENUE_URLS: `bitget=${venue.url}`,
        EDGEMAKER_STRATEGIES: join(folder, "strategies"),
        // What it waits for after a kill; the emulated exchange is nearer than a real one.
        EDGEMAKER_TIMING: "leaseTtl=6000,requestTimeout=3000,expiry=1000,skew=100,readLag=100,secondMiss=100",
        BITGET_API_KEY: venue.keys.key,
        BITGET_SECRET: venue.keys.secret,
        BITGET_PASSPHRASE: venue.keys.passphrase ?? "",
      };
      const serving = () => serve(folder, ["--tick-interval", "1000"], env);
      let server = await serving();
      const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        const answer = await server.ask(`/api/v1${path}`, { method, ...sent });
        const output = await answer.text();
        if (!answer.ok) throw new Error(`${method} ${path}: ${output}`);
        return JSON.parse(output) as T;
      };
      const price = Number(venue.price(MARKET.symbol));
      const range =
        definition === "grid"
          ? { lowerPrice: Math.round(price * 0.9), upperPrice: Math.round(price * 1.1) }
          : {};
      const open = () =>
        venue
          .open()
          .map((order) => `${order.side} ${text(order.amount)} at ${text(order.price)}`)
          .sort();
      const { id } = await call<Shown>("POST", "/strategies", {
        definition,
        ...MARKET,
        ...start,
        config: { ...start.config, ...range },
      });
      const shown = () => call<Shown>("GET", `/strategies/${id}`);
      await eventually(shown, ({ openOrders }) => openOrders > 1 && openOrders === open().length);
      const before = open();
      const { orders } = await call<Plan>("POST", `/strategies/${id}/preview`, { config: edit });
      const planned = orders.map(({ side, price: at, amount }) => `${side} ${amount} at ${at}`).sort();
      expect(planned).toHaveLength(before.length);

      venue.resetCounts();
      venue.fail({ kind: "hang", route: routes, acts, times: 1000 });
      const changed = call("PATCH", `/strategies/${id}`, { config: edit }).catch(() => undefined);
      await eventually(
        async () => venue.observed,
        (observed) => observed.some(({ route }) => (routes as readonly unknown[]).includes(route)),
      );
      await server.kill("SIGKILL");
      await changed;
      venue.heal();

      server = await serving();
      // Before a cancel or a new order, the change is stored: it is made after the restart. A read can be earlier.
      if (routes[0] !== "book")
        await eventually(
          async () => open().join(),
          (now) => now === planned.join(),
        );
      for (let passes = 0; passes < 3; passes++) {
        const { lastStepAt } = await shown();
        // Without news, a grid has a pass now and then only.
        const passed = () => call("POST", "/internal/tick", {}).then(shown);
        await eventually(passed, (now) => now.lastStepAt > lastStepAt);
      }
      const { config } = (await shown()).startAgain;
      const isMade = Object.entries(edit).every(([name, value]) => Reflect.get(config, name) === value);
      const expected = isMade ? planned : before;
      await eventually(
        async () => open().join(),
        (now) => now === expected.join(),
      );
      expect(open()).toEqual(expected);
      expect(venue.orders()).toHaveLength(isMade ? before.length + planned.length : before.length);
      expect(venue.selfTrades()).toEqual([]);
      expect(await shown()).toMatchObject({ status: "running", openOrders: expected.length });
      expect(await call("POST", `/strategies/${id}/stop`, {})).toMatchObject({ success: true });
      await eventually(shown, ({ status }) => status === "stopped");
      expect(open()).toEqual([]);
    },
  );
});
