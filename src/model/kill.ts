import { type By, EVERY_ACCOUNT, type EventView } from "./events.ts";
import type { OrderKind } from "./order.ts";

/** How the kill switch stands. */
export interface Kill {
  readonly on: boolean;
  /** Every order of ours is cancelled. */
  readonly cancels: boolean;
  /** Exits sell all the same: somebody wants out of everything. */
  readonly sells: boolean;
}

/** What a person asks for beside the switch itself. */
export interface Panic {
  readonly cancels?: boolean;
  /** Every strategy is stopped. */
  readonly stops?: boolean;
  readonly sells?: boolean;
}

/** The one rule of what the switch keeps back. What the statement that records an order has of it is in order-rows.ts. */
export const isKeptBack = ({ on, sells }: Kill, kind: OrderKind): boolean =>
  on && !(sells && kind === "exit");

/** The switch after a person has turned it: what is under way goes on until it is off. */
export const turned = (before: Kill, on: boolean, { cancels = false, sells = false }: Panic): Kill =>
  on
    ? { on, cancels: before.cancels || cancels, sells: before.sells || sells }
    : { on, cancels: false, sells: false };

export function killEvent(on: boolean, { actor }: By, { cancels, stops, sells }: Panic = {}): EventView {
  const more = [
    ...(cancels ? ["canceling every order"] : []),
    ...(stops ? ["stopping every grid"] : []),
    ...(sells ? ["selling their base"] : []),
  ];
  const message = `${[on ? "on" : "off", ...more].join(", ")}, by ${actor}`;
  return { account: EVERY_ACCOUNT, strategy: null, kind: "kill", message };
}
