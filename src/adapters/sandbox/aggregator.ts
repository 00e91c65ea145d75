import { type Decimal, decimal, div, mul, ONE, roundToStep } from "../../kernel/decimal.ts";
import { hashText, mixHash } from "../../kernel/hash.ts";
import { type ChainToken, chainTokens } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { Aggregator, MarketData, Pool } from "../../ports/venue.ts";
import { generatedPath, noise, type PricePath } from "./matching.ts";

/** ADA in each pool; the last one is too small to count toward a price. */
const POOLS = [
  { dex: "MinswapV2", ada: "900000", fee: "0.003" },
  { dex: "SundaeSwapV3", ada: "350000", fee: "0.003" },
  { dex: "WingRidersV2", ada: "140000", fee: "0.0035" },
  { dex: "Splash", ada: "45000", fee: "0.003" },
  { dex: "VyFinance", ada: "400", fee: "0.003" },
];

const DECIMALS: Readonly<Record<ChainToken, number>> = { INDY: 6, SNEK: 0, NIGHT: 6, MIN: 6 };
/** How far a pool's price moves away from the market, and over which period. */
const STRAYING = { share: 0.006, period: 10 * MINUTE };
const FINE = decimal("0.000000001");

/** Prices of tokens that no simulated venue lists, at the origin in units of 1e-9 USDT. */
const UNLISTED: Partial<Record<ChainToken, number>> = { NIGHT: 50_000_000, MIN: 20_000_000 };

interface SimulatedChain {
  readonly seed: number;
  readonly origin: Millis;
  /** The venue whose prices the pools follow. */
  readonly market: MarketData;
}

/** A simulated aggregator whose pools follow the simulated venues. */
export function sandboxAggregator({ seed, origin, market }: SimulatedChain): Aggregator {
  const own = new Map(
    chainTokens.flatMap((token): [ChainToken, PricePath][] => {
      const ticks = UNLISTED[token];
      return ticks === undefined ? [] : [[token, ownPath(token, { seed, anchor: { at: origin, ticks } })]];
    }),
  );
  return {
    async pools(token) {
      const ada = await market.ticker("ADA/USDT");
      const path = own.get(token);
      const inUsdt = path ? BigInt(path.at(ada.at)) * FINE : midOf(await market.ticker(`${token}/USDT`));
      const price = div(inUsdt, midOf(ada), "half");
      return POOLS.map((pool) => poolAt(token, pool, { price, at: ada.at, seed }));
    },
  };
}

const ownPath = (token: ChainToken, setting: Pick<Parameters<typeof generatedPath>[0], "seed" | "anchor">) =>
  generatedPath({
    ...setting,
    symbol: `${token}/USDT`,
    venue: "chain",
    volatility: 0.015,
    hourlyVolume: 0,
    shocks: [],
  });

function poolAt(
  token: ChainToken,
  { dex, ada, fee }: (typeof POOLS)[number],
  { price, at, seed }: { price: Decimal; at: Millis; seed: number },
): Pool {
  const identifier = `${dex}.${token}`.toLowerCase();
  const stray = noise(mixHash(hashText(identifier), seed), STRAYING.period, STRAYING.share)(at);
  const lot = ONE / 10n ** BigInt(DECIMALS[token]);
  const reserve = decimal(ada);
  const poolPrice = mul(price, ONE + BigInt(Math.round(stray * 1e9)) * FINE, "half");
  const tokenReserve = roundToStep(div(reserve, poolPrice, "half"), lot, "half");
  return {
    dex,
    identifier,
    lot,
    tvl: reserve * 2n,
    quoted: div(reserve, tokenReserve, "half"),
    reserves: { ada: reserve, token: tokenReserve },
    fees: { buy: decimal(fee), sell: decimal(fee) },
  };
}
