import * as z from "zod";
import { type Decimal, decimal, fromNumber, ONE } from "../kernel/decimal.ts";
import { VenueError } from "../kernel/errors.ts";
import { lazy } from "../kernel/lazy.ts";
import { CHAIN_TOKENS, type ChainToken } from "../kernel/pair.ts";
import { plainText } from "../kernel/plain-text.ts";
import type { Millis } from "../kernel/time.ts";
import type { Aggregator, Pool } from "../ports/venue.ts";
import { boundedText } from "./bounded-text.ts";

export const IRIS_URL = "https://iris.indigoprotocol.io";

interface Iris {
  readonly url: string;
  /** Time limit of each request. */
  readonly timeoutMillis: Millis;
}

const POOLS_PER_PAGE = 100;
/** Maximum number of pages; a token has a few dozen pools, so more would be an error. */
const MAX_POOL_PAGES = 50;

const token = () => z.object({ policyId: z.string(), nameHex: z.string() });

const isPoolOf = ({ tokenA, tokenB }: AnsweredPool, token: ChainToken): boolean =>
  tokenA === null &&
  tokenB.policyId === CHAIN_TOKENS[token].policyId &&
  tokenB.nameHex === CHAIN_TOKENS[token].nameHex;

const nonsense = (cause?: unknown): VenueError =>
  new VenueError("unavailable", "the DEX aggregator returned an unusable response", { cause });

/** Schemas of the Iris aggregator's responses, as far as prices need them; other fields are ignored. */
const LOVELACE = 10n ** 12n;

const PoolsAnswer = lazy(() =>
  z.object({
    data: z.array(PoolAnswer()),
    pagination: z.object({ totalPages: z.int().nonnegative() }),
  }),
);

/** Prices; null for a pool with an empty side. */
const PricesAnswer = lazy(() =>
  z.array(z.object({ identifier: z.string(), price: numberUpTo(MAX_POOL_PRICE).nullable() })),
);

/** Failures have status 200. */
const FailureAnswer = lazy(() => z.object({ success: z.literal(false) }));

const wholeUnits = (raw: number): bigint => BigInt(Math.floor(raw));

// A price as a quotient of reserves often has more than 18 decimals.
const nearestDecimal = (value: number): Decimal => fromNumber(value) ?? decimal(value.toFixed(18));

// The aggregator returns 0 for an unknown fee: no pool trades for free.
const feeOf = (percent: number | null | undefined): Decimal | undefined =>
  percent ? nearestDecimal(percent) / 100n : undefined;

/** Returns the public aggregator of Cardano's exchanges, over HTTP. */
export const irisAggregator = (iris: Iris): Aggregator => ({
  async pools(token) {
    const pools = (await allPools(iris, token)).filter(({ state }) => state !== null);
    const prices = await pricesOf(
      iris,
      pools.map(({ identifier }) => identifier),
    );
    return pools
      .map((pool) => poolOf(pool, prices.get(pool.identifier)))
      .filter((pool): pool is Pool => pool !== undefined);
  },
});

async function allPools(iris: Iris, token: ChainToken): Promise<AnsweredPool[]> {
  const { policyId, nameHex } = CHAIN_TOKENS[token];
  const filter = { tokenA: "lovelace", tokenB: `${policyId}.${nameHex}` };
  // A pool can move to the next page between two requests, so each one is stored once.
  const found = new Map<string, AnsweredPool>();
  for (let page = 1, last = 1; page <= last; page++) {
    // The page is sent where the public server reads it, and also outside the filter.
    const path = `/api/liquidity-pools?page=${page}&limit=${POOLS_PER_PAGE}`;
    const { data, pagination } = await askIris(
      iris,
      path,
      { ...filter, page, limit: POOLS_PER_PAGE },
      PoolsAnswer(),
    );
    if (pagination.totalPages > MAX_POOL_PAGES) throw nonsense();
    for (const pool of data.filter((one) => isPoolOf(one, token))) found.set(pool.identifier, pool);
    last = pagination.totalPages;
  }
  return [...found.values()];
}

/**
 * Returns prices by identifier; the response omits pools and has its own order. One pool without a state fails the
 * whole request.
 */
async function pricesOf(iris: Iris, identifiers: readonly string[]): Promise<Map<string, number | null>> {
  const prices = new Map<string, number | null>();
  for (let from = 0; from < identifiers.length; from += POOLS_PER_PAGE) {
    const query = { identifiers: identifiers.slice(from, from + POOLS_PER_PAGE) };
    const answer = await askIris(iris, "/api/liquidity-pools/prices", query, PricesAnswer());
    for (const { identifier, price } of answer) prices.set(identifier, price);
  }
  return prices;
}

async function askIris<S extends z.ZodType>(
  { url, timeoutMillis }: Iris,
  path: string,
  body: object,
  shape: S,
): Promise<z.output<S>> {
  const answer = await request(`${url}${path}`, body, timeoutMillis);
  if (FailureAnswer().safeParse(answer).success)
    throw new VenueError("unavailable", "the DEX aggregator returned an error");
  const parsed = shape.safeParse(answer);
  if (!parsed.success) throw nonsense(parsed.error);
  return parsed.data;
}

async function request(url: string, body: object, timeoutMillis: Millis): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMillis);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(body),
      redirect: "manual",
      signal,
    });
    const text = await boundedText(response, signal);
    if (response.status === 200) return JSON.parse(text);
  } catch (error) {
    throw new VenueError("unavailable", "the DEX aggregator did not respond", { cause: error });
  }
  throw new VenueError("unavailable", "the DEX aggregator returned an error");
}

const MAX_TOKEN_DECIMALS = 18;

/** Twice the total supply of ADA in lovelace, because a pool's value counts both sides. */
const MAX_LOVELACE = 9e16;
/** Amounts on the chain have 63 bits. */
const MAX_TOKEN_UNITS = 2 ** 63;
/** Maximum price: more than the supply of ADA for one token. */
const MAX_POOL_PRICE = 1e11;

const numberUpTo = (most: number) => z.number().nonnegative().max(most);

const PoolAnswer = lazy(() =>
  z.object({
    dex: z.string().transform((name) => plainText(name, 60)),
    identifier: z.string().regex(/^[\x21-\x7e]{1,250}$/),
    tokenA: token().nullable(),
    tokenB: token().extend({ decimals: z.int().min(0).max(MAX_TOKEN_DECIMALS) }),
    state: z
      .object({
        reserveA: numberUpTo(MAX_LOVELACE),
        reserveB: numberUpTo(MAX_TOKEN_UNITS),
        tvl: numberUpTo(MAX_LOVELACE),
        buyFeePercent: numberUpTo(100).nullish(),
        sellFeePercent: numberUpTo(100).nullish(),
      })
      .nullable(),
  }),
);

type AnsweredPool = z.output<ReturnType<typeof PoolAnswer>>;

/** Converts a pool; undefined without a state. */
function poolOf(
  { dex, identifier, state, tokenB: { decimals } }: AnsweredPool,
  price: number | null | undefined,
): Pool | undefined {
  if (!state) return undefined;
  const lot = ONE / 10n ** BigInt(decimals);
  return {
    dex,
    identifier,
    lot,
    tvl: wholeUnits(state.tvl) * LOVELACE,
    quoted: price === undefined || price === null ? undefined : nearestDecimal(price),
    reserves: { ada: wholeUnits(state.reserveA) * LOVELACE, token: wholeUnits(state.reserveB) * lot },
    fees: { buy: feeOf(state.buyFeePercent), sell: feeOf(state.sellFeePercent) },
  };
}

interface KeptPools {
  readonly at: Millis;
  readonly pools: Promise<readonly Pool[]>;
}

/** Shares one request among callers within `ttl`; failures are not cached. */
export function cached(
  aggregator: Aggregator,
  { ttl, monotonic }: { ttl: Millis; monotonic: () => Millis },
): Aggregator {
  const kept = new Map<ChainToken, KeptPools>();
  return {
    async pools(token) {
      const known = kept.get(token);
      if (known && monotonic() - known.at < ttl) return known.pools;
      const fresh: KeptPools = { at: monotonic(), pools: aggregator.pools(token) };
      kept.set(token, fresh);
      fresh.pools.catch(() => {
        if (kept.get(token) === fresh) kept.delete(token);
      });
      return fresh.pools;
    },
  };
}
