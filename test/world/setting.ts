import { checkStart } from "../../src/grid/start/check.ts";
import { firstState } from "../../src/grid/start/planned-start.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { accountKey } from "../../src/model/account.ts";
import type { Market } from "../../src/model/market.ts";
import type { Strategy } from "../../src/model/strategy.ts";
import type { Timing } from "../../src/ports/venue.ts";
import { memoryStore } from "../simulation/store/store.ts";
import { emptyTables, type Tables } from "../simulation/store/tables.ts";
import { type Exchange, LOT, quoteOf, RATE, TICK } from "./exchange.ts";

/** 2026-01-01T00:00:00Z */
export const START = 1_767_225_600_000;
export const ACCOUNT = { exchange: "small", kind: "sandbox", host: "" } as const;
export const KEY = accountKey(ACCOUNT);
export const SYMBOL = "AAA/USDT";

/** The world's unit of time: as long as the kill switch is believed. */
export const UNIT = 1000;

/**
 * Bounds of a few units, chosen so that leaving any one of them out gives an order up before the last moment at which
 * the exchange may show it: leaving at the last moment, it takes effect expiry + skew later, and shows after the lag.
 */
export const TIMING: Timing = {
  leaseTtl: 2 * UNIT,
  requestTimeout: UNIT,
  expiry: 6 * UNIT,
  skew: 6 * UNIT,
  readLag: 6 * UNIT,
  secondMiss: UNIT,
  overlap: 60 * UNIT,
  tradesEvery: 0,
  backoff: { first: UNIT, max: 2 * UNIT },
};

export const MARKET: Market = {
  symbol: SYMBOL,
  base: "AAA",
  quote: "USDT",
  tick: TICK,
  lot: LOT,
  minAmount: LOT,
  minNotional: decimal("1"),
  active: true,
  maker: RATE,
  taker: RATE,
  buyFeeIn: "quote",
};

export interface Setting {
  readonly name: string;
  readonly slots: 1 | 2;
  /** Whether each read of orders, trades and balances is as old as it may be. */
  readonly reads: "fresh" | "old";
  /** What may happen: everything, or the parts of one kind of trouble, of which more is walked in a trace. */
  readonly menu: "all" | "orders" | "people" | "trades" | "processes" | "silence" | "restores" | "hints";
}

/** A grid that was started and has not been stepped yet, on an account with some of both assets. */
export async function firstTables(
  { slots }: Setting,
  exchange: Exchange,
): Promise<{ readonly tables: Tables; readonly id: string }> {
  const tables = emptyTables();
  const quote = { ...quoteOf(exchange), at: START };
  const checked = checkStart(
    {
      lowerPrice: decimal("90"),
      upperPrice: decimal(slots === 1 ? "100" : "110"),
      gridLevels: slots,
      orderSize: decimal("10"),
    },
    { market: MARKET, quote, balances: undefined },
  );
  const created = (await memoryStore(tables, () => START).createStrategy(
    {
      kind: "grid",
      version: 1,
      config: checked.config,
      state: firstState(checked, quote),
      wants: "run",
      keepOrders: false,
      sellBase: false,
      status: "running",
      phase: "starting",
      lastError: null,
      stoppedAt: null,
      prefix: "grid-small-AAA-USDT",
      account: KEY,
      symbol: SYMBOL,
      startedAt: START,
      request: null,
    },
    { actor: "person", request: null },
  )) as Strategy;
  return { tables, id: created.id };
}

export const firstExchange = (): Exchange => ({
  orders: [],
  executions: [],
  base: decimal("10"),
  quote: decimal("1000"),
  mid: decimal("99"),
});
