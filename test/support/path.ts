import { sandboxBooks } from "../../src/adapters/libsql/sandbox-books.ts";
import { deposit } from "../../src/adapters/sandbox/venue.ts";
import { type Candles, candlesOf } from "../../src/candles/candles.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { type Decimal, decimal } from "../../src/kernel/decimal.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { createOperations } from "../../src/operations.ts";
import { EXCHANGES, runOperation, START, testSandbox } from "./sandbox.ts";

const SYMBOL = "ETH/USDT";

/** One price a minute, each held through its candle. */
const flatThrough = (prices: readonly number[]): Candles =>
  candlesOf(
    { pair: SYMBOL, spanMillis: MINUTE },
    prices.map((price, i) => {
      const before = prices[Math.max(0, i - 1)] as number;
      const [open, high, low, close] = [before, Math.max(before, price), Math.min(before, price), price].map(
        (one) => one.toFixed(2),
      ) as [string, string, string, string];
      return { at: START + i * MINUTE, open, high, low, close, volume: 1 };
    }),
  );

/** A grid on gateio's sandbox over prescribed prices, a pass a minute, with so much and no base. */
export async function gridOver(
  prices: readonly number[],
  { quote, base = "0" }: { quote: string; base?: string },
) {
  const box = await testSandbox({ candles: new Map([[SYMBOL, flatThrough(prices)]]), origin: START });
  const { deps, venue, time, context, store } = box;
  const exchange = "gateio";
  const gate = venue(exchange);
  const books = sandboxBooks(context);
  for (const { asset, free } of await gate.balances()) {
    const expected = asset === "USDT" ? decimal(quote) : asset === "ETH" ? decimal(base) : free;
    if (expected !== free) await deposit(books, { exchange, asset, amount: expected - free });
  }
  /** Asks an operation as a client does: its defaults included. */
  const ask = async <T>(name: string, input: object): Promise<T> => {
    const operation = createOperations(EXCHANGES).find((one) => one.name === name);
    return runOperation<T>(deps, name, operation?.input.parse(input) as object);
  };
  const status = async () => {
    const { strategies } = await ask<{ strategies: Status[] }>("get_grid_status", { stopped: true });
    return strategies[0] as Status;
  };
  const worth = async (mark: Decimal): Promise<Decimal> => {
    const balances = await gate.balances();
    const of = (asset: string) => {
      const one = balances.find((balance) => balance.asset === asset);
      return (one?.free ?? 0n) + (one?.used ?? 0n);
    };
    return of("USDT") + (of("ETH") * mark) / decimal("1");
  };
  let placed = 0;
  // Made for each pass, so a test can replace what the venue returns.
  const counted = () => ({
    ...gate,
    create(...args: Parameters<typeof gate.create>) {
      placed++;
      return gate.create(...args);
    },
  });
  const watched = { ...deps, venueOf: counted };
  return {
    ...box,
    gate,
    ask,
    status,
    worth,
    store,
    where: { exchange, symbol: SYMBOL },
    placed: () => placed,
    /** Steps so many minutes of market time. */
    async pass(minutes: number, after: () => Promise<void> = async () => {}): Promise<void> {
      for (let left = minutes; left > 0; left--) {
        time.pass(MINUTE);
        const [done] = await runRound(watched);
        if (done && done.outcome !== "stepped" && done.outcome !== "short")
          throw new Error(`a pass ${done.outcome}: ${done.message}`);
        await after();
      }
    },
  };
}

export interface Status {
  readonly id: string;
  readonly status: string;
  readonly phase: string;
  readonly openOrders: number;
  readonly filledOrders: number;
  readonly profit: number;
  readonly totalProfit: number | null;
  readonly breakEvenPrice: number | null;
  readonly position: string;
  readonly refused: readonly { readonly reason: string }[];
  readonly notices: readonly { readonly code: string }[];
  readonly lastError: string | null;
  readonly lowerPrice: number;
  readonly upperPrice: number;
}
