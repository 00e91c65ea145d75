import type * as z from "zod";
import { isPair } from "../kernel/pair.ts";
import { HOUR, type Millis, SECOND, TIMEFRAMES } from "../kernel/time.ts";
import type { CandleRequest, CandleRequests, StrategyDefinition } from "../ports/definition.ts";

/** Maximum number of candles in a request, and together: they are stored from pass to pass. */
const MAX_CANDLES = 200;
const MAX_CANDLES_TOGETHER = 400;

/** Prices are queried again at half of their maximum age, so a shorter one would use up the exchanges' rate limits. */
const MIN_REFERENCE_AGE_MS: Millis = 5 * SECOND;
const MAX_REFERENCE_AGE_MS: Millis = HOUR;

const STRATEGY_NAME = /^[a-z][a-z0-9-]{0,30}$/;
/** Ids begin with the name, so grid-kraken-… would look like a grid. */
const BUILT_IN: readonly string[] = ["grid", "centered", "quote", "declared", "strategy"];

/** Returns what is wrong with a strategy's name; undefined if nothing is. */
export function nameFault(name: string): string | undefined {
  if (!STRATEGY_NAME.test(name)) return "use a-z, 0-9 and -, at most 31 characters";
  return BUILT_IN.includes(name) ? "it is the name of a built-in strategy; choose another one" : undefined;
}

/** Fields of every start, preview, edit, backtest and command; a config with these names could not be set. */
export const RESERVED_FIELDS: ReadonlySet<string> = new Set([
  "exchange",
  "symbol",
  "baseBudget",
  "quoteBudget",
  "dryRun",
  "dryBalance",
  "stopLossPrice",
  "takeProfitPrice",
  "trailingStopPercent",
  "stopAtOnce",
  "triggerPrice",
  "maxLoss",
  "endsAt",
  "onEnd",
  "id",
  "name",
  "planHash",
  "planId",
  "timeframe",
  "since",
  "until",
  "fills",
  "fill",
  "extremes",
  "marketSpreadPercent",
  "tickInterval",
  "single",
  "sweep",
  "data",
  "makerFee",
  "takerFee",
  "feeIn",
  "tick",
  "lot",
  "minAmount",
  "minNotional",
  "queue",
  "slippagePercent",
  "db",
  "sandbox",
  "seed",
  "venueUrl",
  "strategies",
  "passes",
  "json",
  "apiUrl",
  "token",
  "yes",
  "format",
  "help",
]);

/** An error of the place that defined a strategy, whose stack is read only in tests. */
export const definedAt = new WeakMap<object, Error>();

/** Checks a definition and returns it. Throws TypeError if its name, config or orders are invalid. */
export function defineStrategy<
  Schema extends z.ZodObject,
  State = unknown,
  Requests extends CandleRequests = CandleRequest,
>(definition: StrategyDefinition<Schema, State, Requests>): StrategyDefinition<Schema, State, Requests> {
  const { name, config, orders, candles, reference, version = 1 } = definition;
  const fault = nameFault(name);
  if (fault !== undefined) throw new TypeError(`name ${JSON.stringify(name)}: ${fault}`);
  if (typeof config?.safeParse !== "function") throw new TypeError(`${name}: config is not a schema`);
  const reserved = Object.keys(config.shape as object).find((field) => RESERVED_FIELDS.has(field));
  if (reserved)
    throw new TypeError(`${name}: config.${reserved} is a name of edgemaker's own: choose another`);
  if (typeof orders !== "function") throw new TypeError(`${name}: orders is not a function`);
  if (!Number.isInteger(version) || version < 1)
    throw new TypeError(`${name}: version must be a whole number, at least 1`);
  const requests = candleRequests(candles).map(([, request]) => request);
  if (!requests.every(isCandleRequest))
    throw new TypeError(
      `${name}: candles needs a timeframe (${Object.keys(TIMEFRAMES).join(", ")}) and a count from 1 to ${MAX_CANDLES}, and a symbol only as BASE/QUOTE`,
    );
  if (requests.reduce((total, { count }) => total + count, 0) > MAX_CANDLES_TOGETHER)
    throw new TypeError(`${name}: candles requests more than ${MAX_CANDLES_TOGETHER} candles together`);
  if (typeof reference === "object" && !isReferenceAge(reference.maxAge))
    throw new TypeError(
      `${name}: reference.maxAge must be a whole number of milliseconds from ${MIN_REFERENCE_AGE_MS} to ${MAX_REFERENCE_AGE_MS}`,
    );
  definedAt.set(definition, new Error());
  return definition;
}

const isReferenceAge = (age: Millis = MIN_REFERENCE_AGE_MS): boolean =>
  Number.isInteger(age) && age >= MIN_REFERENCE_AGE_MS && age <= MAX_REFERENCE_AGE_MS;

/** Returns the requests with their names; the name of a single one is null. */
export const candleRequests = (
  candles: CandleRequests | undefined,
): readonly (readonly [string | null, CandleRequest])[] =>
  candles === undefined ? [] : isSingle(candles) ? [[null, candles]] : Object.entries(candles);

const isSingle = (candles: CandleRequests): candles is CandleRequest => typeof candles.timeframe === "string";

const isCandleRequest = ({ timeframe, count, symbol, exchange = "" }: CandleRequest): boolean =>
  Object.hasOwn(TIMEFRAMES, timeframe) &&
  Number.isInteger(count) &&
  count >= 1 &&
  count <= MAX_CANDLES &&
  (symbol === undefined || isPair(symbol)) &&
  typeof exchange === "string";
