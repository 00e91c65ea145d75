/** Data of decentralized exchanges on Cardano. Amounts and prices are Decimal; ADA is the chain's native asset. */
import type { ChainToken } from "../kernel/chain-token.ts";
import type { Decimal } from "../kernel/decimal.ts";

/** A pool of ADA and one token, with a state. */
export interface Pool {
  /** The exchange's name. */
  readonly dex: string;
  readonly identifier: string;
  /** Total value locked, in ADA. */
  readonly tvl: Decimal;
  /** ADA per token, as quoted; undefined when the pool is not quoted. */
  readonly quoted: Decimal | undefined;
  readonly reserves: { readonly ada: Decimal; readonly token: Decimal };
  /** The token's smallest amount. */
  readonly lot: Decimal;
  /** Fees for buying and selling the token, as shares of the payment; undefined if unknown. */
  readonly fees: { readonly buy: Decimal | undefined; readonly sell: Decimal | undefined };
}

/** Source of pools. Throws VenueError. */
export interface Aggregator {
  /** Returns every pool of ADA and the token that has a state, unordered. */
  pools(token: ChainToken): Promise<readonly Pool[]>;
}

/** Median ADA/USDT mid price of the exchanges that responded, and their ids. */
export interface AdaPrice {
  readonly price: Decimal;
  readonly exchanges: readonly string[];
}

export interface Source {
  readonly id: string;
  readonly name: string;
  readonly exchange: string;
}

export interface DexPrice {
  /** USDT per token. */
  readonly price: Decimal;
  /** 0 to 1. */
  readonly confidence: Decimal;
  /** The pools and exchanges that contributed. */
  readonly sources: readonly Source[];
}

/** A pool that counts toward a price: it has a quote and at least 1,000 ADA. */
export type PricedPool = Pool & { readonly quoted: Decimal };

/** Sources of a token's price, largest pool first. */
export interface ChainMarket {
  readonly pools: readonly PricedPool[];
  readonly ada: AdaPrice;
}

/** The chain's decentralized exchanges. Reads throw VenueError, also after the time limit of a read. */
export interface Dex extends Aggregator {
  market(token: ChainToken): Promise<ChainMarket>;
  price(token: ChainToken): Promise<DexPrice>;
}
