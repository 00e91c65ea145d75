import { type ActorAndRequest, EVERY_ACCOUNT, type EventView } from "./events.ts";
import type { OrderKind } from "./order.ts";

/** State of the kill switch. */
export interface Kill {
  readonly on: boolean;
  /** Whether it cancels all our orders. */
  readonly cancels: boolean;
  /** Whether exits still sell, because somebody requested to sell everything. */
  readonly sells: boolean;
}

/** Options of a panic, in addition to the kill switch. */
export interface Panic {
  readonly cancels?: boolean;
  /** Whether it stops every strategy. */
  readonly stops?: boolean;
  readonly sells?: boolean;
}

/** Returns whether the kill switch blocks orders of a kind. The SQL form of this rule is in order-rows.ts. */
export const isBlockedByKill = ({ on, sells }: Kill, kind: OrderKind): boolean =>
  on && !(sells && kind === "exit");

/** Returns the switch after a person turned it on or off. Started actions continue until it is off. */
export const switchedKill = (before: Kill, on: boolean, { cancels = false, sells = false }: Panic): Kill =>
  on
    ? { on, cancels: before.cancels || cancels, sells: before.sells || sells }
    : { on, cancels: false, sells: false };

export function killEvent(
  on: boolean,
  { actor }: ActorAndRequest,
  { cancels, stops, sells }: Panic = {},
): EventView {
  const more = [
    ...(cancels ? ["canceling every order"] : []),
    ...(stops ? ["stopping every strategy"] : []),
    ...(sells ? ["selling their base"] : []),
  ];
  const message = `${[on ? "on" : "off", ...more].join(", ")}, by ${actor}`;
  return { account: EVERY_ACCOUNT, strategy: null, kind: "kill", message };
}

/** Notice about open orders while the kill switch is on. */
export const BUYS_ON =
  "open buys can still fill, and the base they buy is not sold until the switch is off; `edgemaker kill on --cancel` cancels them";
