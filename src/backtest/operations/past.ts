import { type Candles, candlesOfPrices, type PricedCandle, slice } from "../../candles/candles.ts";
import { hashTape, sliceTape, type TapeFile, type TapeReading } from "../../candles/tape.ts";
import { createTapeReader } from "../../candles/tape-reader.ts";
import { CANDLE_PAGE } from "../../candles/windows.ts";
import type { GridStrategy } from "../../grid/state/state.ts";
import { type Decimal, text, wire } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { type Millis, SECOND, TIMEFRAMES } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Market, Trade } from "../../model/market.ts";
import { type Call, type Operation, operation, type WaitingCaller } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { betweenParts, canceledRequest } from "../../ports/heavy.ts";
import { forAnyone } from "../../ports/kill-permit.ts";
import type { HistoryPlace, Page } from "../../ports/stores/store.ts";
import type { CandlesRequest } from "../../ports/venue.ts";
import type { Local } from "../../ports/within-time.ts";
import { floatUnits } from "../paper-positions.ts";
import type { GridRecord } from "../replay.ts";
import { describeSuggestion, SuggestShape, suggestInput, suggestView } from "../schema/replay.ts";
import type { CALCULATIONS } from "./calculations.ts";

/** Input fields that replace a market's rules. */
interface MarketFields {
  readonly tick?: Decimal | undefined;
  readonly lot?: Decimal | undefined;
  readonly makerFee?: Decimal | undefined;
  readonly takerFee?: Decimal | undefined;
  readonly minNotional?: Decimal | undefined;
  readonly feeIn?: "base" | "quote" | undefined;
}

/** Returns candles of a time span, stored ones or the exchange's. Throws AppError if there are none. */
export async function pastOf(deps: Deps, request: CandlesRequest, call: Call): Promise<Candles> {
  const found = (await deps.kept?.candles(request)) ?? (await requestedCandles(deps, request, call));
  const candles = slice(found, request.since ?? 0, request.until ?? Number.MAX_SAFE_INTEGER);
  if (candles.times.length === 0)
    throw new AppError("Invalid request", `there are no candles of ${request.symbol} in this period`);
  return candles;
}

/** Returns recorded trades of a time span, from the given file or the exchange's newest trades. Undefined for bars. */
export async function tapeOf(
  deps: Deps,
  { exchange, symbol, timeframe, since, until }: TapeRequest,
): Promise<TapeFile | undefined> {
  const file = await deps.kept?.tape?.(symbol);
  const found =
    file ?? (timeframe === "trades" ? await requestedTape(deps, { exchange, symbol }) : undefined);
  if (!found) return undefined;
  const tape = sliceTape(found.tape, since ?? 0, until ?? Number.MAX_SAFE_INTEGER);
  if (tape.prints.times.length === 0)
    throw new AppError("Invalid request", `there are no trades of ${symbol} in this period`);
  return { ...found, tape };
}

interface TapeRequest extends Omit<CandlesRequest, "span"> {
  readonly timeframe: string;
}

const MAX_RECENT_TRADES = 1000;

async function requestedTape(deps: Deps, { exchange, symbol }: Pick<CandlesRequest, "exchange" | "symbol">) {
  const results = await forAnyone(deps.venue(exchange)).trades(symbol, MAX_RECENT_TRADES);
  if (results.length === 0) throw new AppError("Invalid request", `${exchange} has no trades of ${symbol}`);
  const reading = tapeOfTrades(symbol, results);
  return { ...reading, hash: await hashTape(reading.tape) };
}

/** Returns the market's rules with replacements from the input; if all are given, it makes no request. */
export async function marketOf(
  deps: Deps,
  { exchange, symbol }: Pick<CandlesRequest, "exchange" | "symbol">,
  fields: MarketFields,
): Promise<Market> {
  const { tick, lot, makerFee, takerFee, minNotional, feeIn } = fields;
  if (tick !== undefined && lot !== undefined && makerFee !== undefined)
    return {
      symbol,
      ...splitPair(symbol),
      active: true,
      tick,
      lot,
      minAmount: lot,
      minNotional: minNotional ?? 0n,
      maker: makerFee,
      taker: takerFee ?? makerFee,
      buyFeeIn: feeIn ?? "quote",
    };
  const { assumedFees, ...known } = await forAnyone(deps.venue(exchange)).market(symbol);
  const given = { maker: makerFee, taker: takerFee };
  const names = assumedFees?.names.filter((name) => given[name] === undefined) ?? [];
  return {
    ...known,
    ...(assumedFees && names.length > 0 ? { assumedFees: { ...assumedFees, names } } : {}),
    active: true,
    tick: tick ?? known.tick,
    lot: lot ?? known.lot,
    minNotional: minNotional ?? known.minNotional,
    maker: makerFee ?? known.maker,
    taker: takerFee ?? known.taker,
    buyFeeIn: feeIn ?? known.buyFeeIn,
  };
}

/** Maximum number of candle requests for one backtest. */
const MAX_CANDLE_PAGES = 30;

/** Requests candles from the exchange, page by page from `since` on. */
async function requestedCandles(
  deps: Deps,
  { exchange, symbol, span, since, until }: CandlesRequest,
  call: Call,
): Promise<Candles> {
  const data = forAnyone(deps.venue(exchange));
  const end = until ?? Number.MAX_SAFE_INTEGER;
  if (since !== undefined && until !== undefined && (until - since) / span > CANDLE_PAGE * MAX_CANDLE_PAGES)
    throw new AppError(
      "Invalid request",
      `more than ${CANDLE_PAGE * MAX_CANDLE_PAGES} candles are too many for one request; download them first, or use a longer timeframe`,
    );
  const rows = new Map<Millis, PricedCandle>();
  let from = since;
  for (let page = 0; page < MAX_CANDLE_PAGES; page++) {
    await betweenParts(deps.local, call);
    const results = await data.candles(symbol, { span, limit: CANDLE_PAGE, since: from });
    // A bar without a volume counts as missing.
    for (const row of results)
      if (row.volume !== null) rows.set(row.at, { ...row, volume: floatUnits(row.volume) });
    const last = results.at(-1)?.at;
    // The newest bar is incomplete: nothing comes after it.
    if (since === undefined || last === undefined || last + span >= end || results.length < CANDLE_PAGE / 2)
      break;
    from = last + span;
  }
  return candlesOfPrices({ pair: symbol, spanMillis: span }, [...rows.values()]);
}

/** Converts an exchange's public trades, in any order, to a tape like a file's. */
function tapeOfTrades(pair: Pair, trades: readonly Trade[]): TapeReading {
  const reader = createTapeReader({ pair });
  const results = [...trades].sort((a, b) => a.at - b.at);
  const lines = results.map(({ id, at, price, amount }) =>
    JSON.stringify({ id, timestamp: at, price: text(price), amount: text(amount) }),
  );
  reader.push(new TextEncoder().encode(lines.join("\n")));
  return reader.end();
}

const ROWS = 1000;
/** Maximum number of rows of each history, more than a year of a busy grid. */
const MAX_RECORD_ROWS = 100_000;

/** Returns the stored history of a grid. Throws AppError if it exceeds the maximum. */
export async function recordOf(
  { store, marketTime, local }: Deps,
  strategy: GridStrategy,
  call: Call,
): Promise<Omit<GridRecord, "strategy">> {
  const { id, account } = strategy;
  const between = () => betweenParts(local, call);
  if (await store.hasMoreThan(id, MAX_RECORD_ROWS))
    throw new AppError(
      "Invalid request",
      `the grid has more than ${MAX_RECORD_ROWS} orders, fills or events; use \`edgemaker backtest --from\` instead`,
    );
  const orders = await allPages(
    between,
    (page) => store.ordersOf(id, page),
    ({ createdAt, clientId }) => ({ at: createdAt, id: clientId }),
  );
  const fills = await allPages(
    between,
    (page) => store.fillsOf(id, page),
    ({ at, tradeId }) => ({ at, id: tradeId }),
  );
  const events = await allPages(
    between,
    (page) => store.eventsOf(id, page),
    ({ at, id: number }) => ({ at, id: String(number) }),
  );
  const inMarketTime = (at: number) => marketTime(parseAccountKey(account), at);
  return {
    orders,
    fills,
    events: events.map((event) => ({ ...event, at: inMarketTime(event.at) })),
  };
}

/** Returns all rows of a history, oldest first, although its pages are newest first. */
async function allPages<T>(
  between: () => Promise<void>,
  read: (page: Page) => Promise<readonly T[]>,
  placeOf: (row: T) => HistoryPlace,
): Promise<readonly T[]> {
  const pages: (readonly T[])[] = [];
  for (let before: HistoryPlace | undefined; ; ) {
    const rows = await read({ limit: ROWS, ...(before ? { before } : {}) });
    pages.push(rows);
    await between();
    if (rows.length < ROWS) return pages.flat().reverse();
    before = placeOf(rows.at(-1) as T);
  }
}

/** Maximum time on a server, which must run passes; after it, the result is partial. The command line has no limit. */
export const longestCalculation = ({ actor }: Call, most: Millis = 2 * SECOND): Millis =>
  actor === "local" ? Number.POSITIVE_INFINITY : most;

/** What all operations on historical prices have in common. */
export const READS_PAST = {
  effect: "read",
  access: "token",
  lane: "heavy",
  failure: "Fetch failed",
} as const;

/** Duration of a slice of calculation, and of the pause after it: a pass takes many turns of the event loop. */
const SLICE: Millis = 16;
const REST: Millis = 4;
/** Number of steps in the first slice if the clock stands still. */
const FIRST_STEPS = 8;

type Calculations = typeof CALCULATIONS;
type Name = keyof Calculations;
type JobOf<N extends Name> = Parameters<Calculations[N]>[0];
type AnswerOf<N extends Name> = ReturnType<Calculations[N]> extends Generator<number, infer A> ? A : never;

/** Runs a calculation, in a thread if there is one, otherwise in slices between which other requests are served. */
export async function calculate<N extends Name>(
  { calculationThread, local }: Pick<Deps, "calculationThread" | "local">,
  [name, job]: readonly [N, JobOf<N>],
  call: Call,
  maxMillis = longestCalculation(call),
): Promise<AnswerOf<N>> {
  const { signal, waiting } = call;
  if (signal?.aborted) throw canceledRequest();
  if (calculationThread) return (await calculationThread(name, job, { maxMillis, signal })) as AnswerOf<N>;
  // Loaded only where it calculates: a server has a thread for it.
  const { CALCULATIONS: calculations } = await import("./calculations.ts");
  const until = local.monotonic() + maxMillis;
  const isOver = () => local.monotonic() > until || waiting?.isEnough() === true;
  const work = calculations[name](job as never, isOver) as Generator<number, AnswerOf<N>>;
  return inSlices(work, local, waiting);
}

/**
 * Runs a long calculation in slices, so the same process can run passes and respond between them; the calculation
 * yields the completed share. Simultaneous calculations share the length of a slice. On Workers the clock stands
 * still without awaiting, so a slice is a number of steps, which doubles if they took less time than a slice.
 */
export async function inSlices<T>(
  work: Generator<number, T>,
  { monotonic, sleep }: Pick<Local, "monotonic" | "sleep">,
  { hear, share = () => 1 }: Partial<Pick<WaitingCaller, "hear" | "share">> = {},
): Promise<T> {
  for (let steps = FIRST_STEPS; ; ) {
    const since = monotonic();
    const length = SLICE * share();
    let reportedValue = 0;
    for (let step = 1; step <= steps || monotonic() > since; step++) {
      const { done, value } = work.next();
      if (done) return value;
      reportedValue = value;
      if (monotonic() - since >= length) break;
    }
    hear?.(reportedValue);
    await sleep(REST);
    steps = monotonic() - since - REST > length ? Math.ceil(steps / 2) : steps * 2;
  }
}

/** Maximum time on a server, because other requests wait. */
const MAX_SEARCH_MS = 20 * SECOND;

/** Operation that suggests a grid for a pair and a budget, or reports that no grid is justified. */
export const suggestOperation = (ids: readonly string[]): Operation =>
  operation({
    ...READS_PAST,
    name: "suggest_grid",
    summary: "Suggest grid settings from a pair's price history",
    http: { route: "POST /strategy/grid/suggest", from: "body" },
    cli: {
      path: "suggest",
      view: suggestView,
      examples: [
        "edgemaker suggest --exchange mexc --symbol BTC/USDT --budget 1000 --since 1764547200000",
        "edgemaker suggest --exchange kraken --symbol BTC/USD --budget 1000 --data btc-usd.csv.gz",
      ],
    },
    mcp: { summarize: describeSuggestion },
    input: () => suggestInput(ids),
    output: SuggestShape,
    run: async (
      deps,
      { exchange, symbol, timeframe, since, until, budget, windows, candidates, seed, seconds, ...rest },
      call,
    ) => {
      const span = TIMEFRAMES[timeframe];
      const { leastBars } = await import("../suggest.ts");
      const least = leastBars(windows);
      const query = { exchange, symbol, span, since, until };
      const newest = await pastOf(deps, query, call);
      // The exchange's default number of candles is below what any windows need.
      const isShort = since === undefined && newest.times.length < least;
      const from = (newest.times.at(-1) as number) - least * span;
      const candles = isShort ? await pastOf(deps, { ...query, since: from }, call) : newest;
      const market = await marketOf(deps, { exchange, symbol }, rest);
      const options = { market, budget: wire(budget), windows, candidates, seed };
      const over = { exchange, symbol, budget: wire(budget), bars: candles.times.length };
      const longest = Math.min(seconds * SECOND, longestCalculation(call, MAX_SEARCH_MS));
      return calculate(deps, ["search", { candles, options, over }], call, longest);
    },
  });
