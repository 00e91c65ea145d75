import { sandboxBooks } from "../../src/adapters/libsql/sandbox-books.ts";
import { bookedVenue } from "../../src/adapters/sandbox/booked-venue.ts";
import { fillResting, type PricePath } from "../../src/adapters/sandbox/matching.ts";
import { deposit, SANDBOX_TIMING } from "../../src/adapters/sandbox/venue.ts";
import { cornersOf } from "../../src/backtest/jump.ts";
import { quoteAt } from "../../src/backtest/paper-account.ts";
import type { Rules, Ticks } from "../../src/backtest/ticks.ts";
import { runPass } from "../../src/engine/pass/pass.ts";
import { asGrid } from "../../src/grid/state/state.ts";
import { mul, ONE, roundToStep, ZERO } from "../../src/kernel/decimal.ts";
import type { Millis } from "../../src/kernel/time.ts";
import { between, type Corner } from "../../src/market/matching.ts";
import type { Balance } from "../../src/model/account.ts";
import type { Market } from "../../src/model/market.ts";
import type { Fill } from "../../src/model/order.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { readStarts } from "../support/starts.ts";

const EXCHANGE = "kraken";
const PLENTY = 10n ** 12n * ONE;

/** The bars as a price path, whatever a backtest makes of them. */
function pathOf(bars: Ticks, rules: Rules): PricePath {
  const corners: Corner[] = [];
  for (let bar = 0; bar < bars.count; bar++) corners.push(...cornersOf(bars, bar, rules.extremes));
  const after = (time: Millis): number => {
    let [low, high] = [0, corners.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((corners[middle] as Corner).at > time) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return {
    at(time) {
      const next = after(time);
      const [left, right] = [corners[next - 1], corners[next]];
      if (!left) return (corners[0] as Corner).ticks;
      return right ? between(left, right, time) : left.ticks;
    },
    corners(from, to) {
      const found: Corner[] = [];
      for (let i = after(from); i < corners.length && (corners[i] as Corner).at < to; i++)
        found.push(corners[i] as Corner);
      return found;
    },
    inside: () => [],
    volume: () => 0,
  };
}

/** A start of a definition, and its fields. */
interface Requested<Definition extends string = string> {
  readonly definition: Definition;
  readonly fields: object;
}

export type GridRequest = Requested<"grid" | "centered">;

export const requested = <Definition extends string>(
  definition: Definition,
  fields: object,
): Requested<Definition> => ({ definition, fields });

interface Stepped {
  readonly bars: Ticks;
  readonly market: Market;
  readonly rules: Rules;
  readonly balances: readonly Balance[];
  /** When the step is made. */
  readonly passes: readonly Millis[];
  /** Time between two of them, if they are regular. */
  readonly interval?: Millis;
}

/** A strategy started and stepped by the real service, its store and a venue's books in libSQL, over bars. */
export async function steppedAny(
  { definition, fields }: Requested,
  { bars, market, rules, balances, passes, interval }: Stepped,
) {
  const start = bars.candles.from;
  const { deps, store, time, context, row } = await testSandbox({ origin: start, start });
  const books = sandboxBooks(context);
  const { books: before } = await books.load(EXCHANGE);
  const assets = new Set([...Object.keys(before.holdings), ...balances.map(({ asset }) => asset)]);
  for (const asset of assets) {
    const expected = balances.find((one) => one.asset === asset)?.free ?? ZERO;
    const amount = expected - (before.holdings[asset]?.total ?? ZERO);
    await deposit(books, { exchange: EXCHANGE, asset, amount });
  }
  const path = pathOf(bars, rules);
  const quote = (at: Millis) => quoteAt(market, rules, { at, ticks: path.at(at) }, bars.step);
  const now = () => row.origin + (time.now() - row.created);
  const account = { exchange: EXCHANGE, kind: "sandbox", host: "" } as const;
  const venue: Venue = {
    ...bookedVenue({
      account,
      timing: SANDBOX_TIMING,
      books,
      key: EXCHANGE,
      pricing: {
        look: async () => ({ ...(await books.load(EXCHANGE)), at: now() }),
        settlement: ({ books: observed, at }) =>
          fillResting(observed, at, () => ({ market: { ...market, tick: bars.step }, path }), {
            fill: rules.fill,
            parts: false,
          }),
        arrival(_moment, { side }) {
          const { bid, ask } = quote(now());
          const price =
            side === "buy"
              ? roundToStep(mul(ask, ONE + rules.slippage, "up"), market.tick, "up")
              : roundToStep(mul(bid, ONE - rules.slippage, "down"), market.tick, "down");
          return { market, levels: [{ price, amount: PLENTY }], at: now() };
        },
      },
    }),
    market: async () => market,
    ticker: async () => ({ ...quote(now()), last: ZERO, baseVolume: ZERO, quoteVolume: ZERO }),
    book: async () => {
      const { bid, ask, at } = quote(now());
      return { bids: [{ price: bid, amount: PLENTY }], asks: [{ price: ask, amount: PLENTY }], at };
    },
    trades: async () => [],
    candles: async () => [],
  };
  // Bars tell of one exchange alone: there is nobody to compare its price with.
  const { reference: _, ...own } = deps;
  const paced = interval === undefined ? {} : { interval };
  const over: Deps = { ...own, ...paced, venue: () => venue, venueOf: () => venue };
  const { id } = await runOperation<{ id: string }>(
    over,
    ...readStarts(definition, { exchange: EXCHANGE, symbol: "BTC/USDT", ...fields }),
  );
  for (const at of passes.slice(1)) {
    time.pass(at - time.now());
    const passed = await runPass(over, venue);
    if (passed.outcome !== "stepped") throw new Error(`a pass ${passed.outcome}: ${passed.message}`);
  }
  const [view] = await store.strategies({ id });
  if (!view) throw new Error("no grid");
  const fills: Fill[] = [];
  for (let page: readonly Fill[] | undefined; page === undefined || page.length > 0; fills.push(...page)) {
    const last = fills.at(-1);
    page = await store.fillsOf(id, {
      limit: 1000,
      before: last && { at: last.at, id: last.tradeId },
    });
  }
  return { strategy: view.strategy, fills: fills.reverse(), balances: await venue.balances() };
}

/** The same, of a grid. */
export async function stepped(request: GridRequest, over: Stepped) {
  const run = await steppedAny(request, over);
  return { ...run, strategy: asGrid(run.strategy) };
}
