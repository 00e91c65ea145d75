import { abs, type Decimal, decimal, div, max, min, mul, mulDiv, ONE, sum, ZERO } from "../kernel/decimal.ts";
import type { ChainToken } from "../kernel/pair.ts";
import type { ChainMarket, DexPrice, Pool, PricedPool, Source } from "../ports/venue.ts";

/** Minimum pool size; a small trade moves the price of a smaller pool. */
const MIN_POOL_TVL = decimal("1000");
const MIN_POOLS = decimal("3");
/** Weighted deviation of the pools' prices at which the confidence is zero. */
const MAX_DEVIATION = decimal("0.05");
/** Share of the largest pool from which the confidence decreases, and the maximum decrease. */
const CONCENTRATED = decimal("0.8");
const CONCENTRATION_COST = decimal("0.3");

/** Sorts by total value locked; equal ones keep their order. */
export const largestFirst = <P extends Pool>(pools: readonly P[]): P[] =>
  [...pools].sort((a, b) => (a.tvl === b.tvl ? 0 : a.tvl < b.tvl ? 1 : -1));

const counts = (pool: Pool): pool is PricedPool =>
  pool.quoted !== undefined && pool.quoted > ZERO && pool.tvl >= MIN_POOL_TVL;

/** Returns the pools that count toward a price, largest first. */
export const pricedPools = (pools: readonly Pool[]): PricedPool[] => largestFirst(pools.filter(counts));

/** Returns the TVL-weighted price of the token in ADA × ADA in USDT; undefined if no pool counts. */
export function dexPrice(token: ChainToken, { pools: counted, ada }: ChainMarket): DexPrice | undefined {
  if (counted.length === 0) return undefined;
  const total = sum(counted.map(({ tvl }) => tvl));
  const inAda = sum(counted.map(({ quoted, tvl }) => mul(quoted, tvl, "half")));
  return {
    price: mulDiv(inAda, { times: ada.price, over: total }, "half"),
    confidence: confidenceOf(counted, { mean: div(inAda, total, "half"), total }),
    sources: [...counted.map((pool) => poolSource(token, pool)), ...ada.exchanges.map(adaSource)],
  };
}

/**
 * Returns min(1, pools/3) × (1 − min(1, s/5 %)) × (1 − 0.3·max(0, c − 0.8)/0.2), with s the weighted relative
 * deviation and c the largest share.
 */
function confidenceOf(
  pools: readonly PricedPool[],
  { mean, total }: { mean: Decimal; total: Decimal },
): Decimal {
  const enough = min(ONE, div(BigInt(pools.length) * ONE, MIN_POOLS, "down"));
  const weighted = sum(pools.map(({ quoted, tvl }) => mul(abs(quoted - mean), tvl, "half")));
  const deviation = div(div(weighted, total, "half"), mean, "half");
  const agreement = ONE - min(ONE, div(deviation, MAX_DEVIATION, "half"));
  const largest = pools.reduce((most, { tvl }) => max(most, tvl), ZERO);
  const excess = max(ZERO, div(largest, total, "half") - CONCENTRATED);
  const spread = ONE - mulDiv(CONCENTRATION_COST, { times: excess, over: ONE - CONCENTRATED }, "half");
  return mul(mul(enough, agreement, "half"), spread, "half");
}

const poolSource = (token: ChainToken, { identifier, dex }: Pool): Source => ({
  id: identifier,
  name: `${dex} ${token}/ADA`,
  exchange: dex,
});

const adaSource = (exchange: string): Source => ({ id: exchange, name: `${exchange} ADA/USDT`, exchange });
