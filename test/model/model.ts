import type { OrderState } from "../../src/model/order.ts";
import type { StrategyStatus, Wants } from "../../src/model/strategy.ts";

/** What people have been answered, and so what must hold. `either` is what requests at once leave open. */
export interface GridModel {
  readonly id: string;
  readonly exchange: string;
  wants: Wants | "either";
  /** Of a stop: whether its orders stay; `either` when stops at once have said both. */
  keeps: boolean | "either";
  /** Asked to sell its base as it stops: it first cancels what that would meet, of whomever. */
  sells: boolean;
  /** Intents of kind `grid` when it was asked to stop. */
  intents: number | undefined;
  status: StrategyStatus;
}

export interface Model {
  readonly grids: GridModel[];
  killed: boolean;
  isCut: boolean;
  /** Orders on the venues when the kill switch was on. */
  placed: number | undefined;
  /** Open orders that nobody but the person may end, by exchange and id. */
  readonly persons: Set<string>;
  /** Deposits less withdrawals, by exchange and asset. */
  readonly deposited: Map<string, bigint>;
  /** Each order's last state, by client id. */
  readonly states: Map<string, OrderState>;
}

export const newModel = (): Model => ({
  grids: [],
  killed: false,
  isCut: false,
  placed: undefined,
  persons: new Set(),
  deposited: new Map(),
  states: new Map(),
});
