/** Schemas of the Iris aggregator's responses, as far as prices need them; other fields are ignored. */
import * as z from "zod";
import { type Decimal, decimal, fromNumber, ONE } from "../../kernel/decimal.ts";
import { lazy } from "../../kernel/lazy.ts";
import { plainText } from "../../kernel/plain-text.ts";
import type { Pool } from "../../ports/dex.ts";

const LOVELACE = 10n ** 12n;
const MOST_TOKEN_DECIMALS = 18;

/** Twice the total supply of ADA in lovelace, because a pool's value counts both sides. */
const MOST_LOVELACE = 9e16;
/** Amounts on the chain have 63 bits. */
const MOST_UNITS = 2 ** 63;
/** Maximum price: more than the supply of ADA for one token. */
const MOST_PRICE = 1e11;

const numberUpTo = (most: number) => z.number().nonnegative().max(most);
const token = () => z.object({ policyId: z.string(), nameHex: z.string() });

const PoolAnswer = lazy(() =>
  z.object({
    dex: z.string().transform((name) => plainText(name, 60)),
    identifier: z.string().regex(/^[\x21-\x7e]{1,250}$/),
    tokenA: token().nullable(),
    tokenB: token().extend({ decimals: z.int().min(0).max(MOST_TOKEN_DECIMALS) }),
    state: z
      .object({
        reserveA: numberUpTo(MOST_LOVELACE),
        reserveB: numberUpTo(MOST_UNITS),
        tvl: numberUpTo(MOST_LOVELACE),
        buyFeePercent: numberUpTo(100).nullish(),
        sellFeePercent: numberUpTo(100).nullish(),
      })
      .nullable(),
  }),
);

export const PoolsAnswer = lazy(() =>
  z.object({
    data: z.array(PoolAnswer()),
    pagination: z.object({ totalPages: z.int().nonnegative() }),
  }),
);

/** Prices; null for a pool with an empty side. */
export const PricesAnswer = lazy(() =>
  z.array(z.object({ identifier: z.string(), price: numberUpTo(MOST_PRICE).nullable() })),
);

/** Failures have status 200. */
export const FailureAnswer = lazy(() => z.object({ success: z.literal(false) }));

export type AnsweredPool = z.output<ReturnType<typeof PoolAnswer>>;

/** Converts a pool; undefined without a state. */
export function poolOf(
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

const wholeUnits = (raw: number): bigint => BigInt(Math.floor(raw));

// The aggregator returns 0 for an unknown fee: no pool trades for free.
const feeOf = (percent: number | null | undefined): Decimal | undefined =>
  percent ? nearestDecimal(percent) / 100n : undefined;

// A price as a quotient of reserves often has more than 18 decimals.
const nearestDecimal = (value: number): Decimal => fromNumber(value) ?? decimal(value.toFixed(18));
