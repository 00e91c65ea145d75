import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readCandleFile } from "../../cli/host/candle-sources.ts";
import { runPass } from "../../src/engine/pass/pass.ts";
import { profitOf } from "../../src/grid/booking.ts";
import { asGrid } from "../../src/grid/state/state.ts";
import { type Decimal, mul, sum, text, ZERO } from "../../src/kernel/decimal.ts";
import { parseClientOrderId } from "../../src/kernel/ids.ts";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import type { Balance } from "../../src/model/account.ts";
import type { StrategyView } from "../../src/ports/stores/store.ts";
import type { Venue, VenueOrder } from "../../src/ports/venue.ts";
import { d } from "../support/grid.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";

const file = fileURLToPath(new URL("../../../shared/data/btc-usd-2022-01-1m.csv.gz", import.meta.url));
const isThere = existsSync(file);
if (!isThere) console.warn("skipped: the candles of January 2022 are not here (../shared/data)");

const GRID = gridInput({
  lowerPrice: d("36000"),
  upperPrice: d("48000"),
  gridLevels: 40,
  orderSize: d("500"),
});

/** The account's worth in quote, its base at a price. */
const worth = (balances: readonly Balance[], price: Decimal): Decimal =>
  sum(
    balances.map(({ asset, free, used }) =>
      asset === "USDT" ? free + used : asset === "BTC" ? mul(free + used, price, "half") : ZERO,
    ),
  );

/** Slots that have more than one order among these. */
const doubled = (open: readonly VenueOrder[]): string[] => {
  const slots = open.map(({ clientId = "" }) =>
    JSON.stringify({ ...parseClientOrderId(clientId), serial: 0 }),
  );
  return slots.filter((slot, i) => slots.indexOf(slot) !== i);
};

describe.skipIf(!isThere)("a grid over the real January of 2022, stepped every five minutes", () => {
  it("completes cycles, and its account's change is its profit at the end of every day, to the last unit", async () => {
    const { candles } = await readCandleFile(file, "BTC/USDT");
    const [first = 0, last = 0] = [candles.times[0], candles.times.at(-1)];
    const { deps, store, venue, time } = await testSandbox({
      candles: new Map([["BTC/USDT", candles]]),
      origin: first,
      start: first,
    });
    const kraken = venue("kraken");
    const before = await kraken.balances();
    const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);

    const doubles: string[] = [];
    const watched: Venue = {
      ...kraken,
      async openOrders(symbol) {
        const open = await kraken.openOrders(symbol);
        doubles.push(...doubled(open));
        return open;
      },
    };
    const days: { change: string; text: string }[] = [];
    for (let day = 1; time.now() < last; ) {
      time.pass(5 * MINUTE);
      expect((await runPass(deps, watched)).outcome).toBe("stepped");
      if (time.now() < first + day * DAY) continue;
      day++;
      const [view] = await store.strategies({ id });
      days.push(compare(view, before, await kraken.balances()));
    }
    const [view] = await store.strategies({ id });
    expect(days).toHaveLength(31);
    expect(days.map(({ change }) => change)).toEqual(days.map(({ text: output }) => output));
    expect(doubles).toEqual([]);
    expect(view && asGrid(view.strategy).state.ledger.cycles).toBeGreaterThan(100);
  });
});

/** The account's change, and what the grid says of it: total profit + idle base × (mark − start price). */
function compare(view: StrategyView | undefined, before: readonly Balance[], after: readonly Balance[]) {
  const mark = view?.memory.marks["BTC/USDT"]?.mid;
  if (!view || mark === undefined) throw new Error("no mark");
  const { state } = asGrid(view.strategy);
  const base = before.find(({ asset }) => asset === "BTC");
  const idle = (base?.free ?? ZERO) - state.ledger.firstBase;
  const change = worth(after, mark) - worth(before, state.startPrice);
  return {
    change: text(change),
    text: text(profitOf(state, mark).total + mul(idle, mark - state.startPrice, "half")),
  };
}
