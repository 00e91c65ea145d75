import { unlimited } from "../../engine/decide/limited.ts";
import { type Decimal, ZERO } from "../../kernel/decimal.ts";
import { midOf } from "../../kernel/spread.ts";
import { boundsAfter } from "../../limits/standing.ts";
import type { Funds, Intent } from "../../model/intent.ts";
import type { Market } from "../../model/market.ts";
import { need } from "../../model/need.ts";
import { isSameRefusal, type Refusal } from "../../model/strategy.ts";
import type { GridState, Slot } from "../state/state.ts";
import { committed } from "./capital.ts";
import { keptBack } from "./owed.ts";
import { backedOff, limitOrderOf, refuse } from "./refusal.ts";
import { roomAfter } from "./room.ts";
import { atRest, sellPrice, turn, type View, type Wish, wishOf } from "./wish.ts";

export interface NextOrders {
  readonly next: GridState;
  /** Nearest the market first. */
  readonly intents: readonly Intent[];
  readonly funds: Funds | undefined;
  /** Number of slots whose order did not fit in this pass. */
  readonly postponed: number;
}

const KEPT_BACK = {
  reason: "inventory_missing",
  detail: "another slot has already sold this base and buys it back first",
} as const;

/** Returns the next order of each slot without one, and why other slots place none. */
export function nextOrders(state: GridState, view: View): NextOrders {
  const mid = midOf(view.quote);
  let { funds, capital, resting, bounds, room } = view;
  let postponed = 0;
  const intents: Intent[] = [];
  const refused: Refusal[] = [...(view.unclear ?? [])];
  const planned = new Map<number, Slot>();

  const free = nearestFirst(
    state.slots.filter(({ index }) => !view.busy.has(index)),
    mid,
  );
  const kept = keptBack(state, free);
  for (const slot of free) {
    const turned = turn(slot, view.market, mid);
    planned.set(slot.index, turned);
    const wish = atRest(wishOf(turned, view.market), view);
    const isKept = wish?.side === "sell" && kept.has(slot.index);
    const refusal = isKept
      ? KEPT_BACK
      : refuse(turned, wish, { ...view, funds, capital, resting, bounds, room }, state);
    if (refusal) {
      const result = backedOff(turned, refusal, view);
      planned.set(slot.index, result.slot);
      refused.push({ slot: slot.index, ...result.refusal });
    } else if (!wish) continue;
    else if (intents.length >= view.limit) postponed++;
    else {
      intents.push({ slot: slot.index, ...wish });
      planned.set(slot.index, unlimited(turned));
      resting = [...resting, wish];
      funds = funds && spendFunds(funds, view.market, wish);
      capital = capital && committed(capital, view.market, wish);
      bounds = bounds && boundsAfter(bounds, limitOrderOf(wish, view.market), view.quote);
      room = roomAfter(room, wish);
    }
  }
  return { next: nextState(state, planned, refused), intents, funds, postponed };
}

// Returns the same state if nothing changed, so a pass without changes writes nothing.
function nextState(
  state: GridState,
  planned: ReadonlyMap<number, Slot>,
  refusals: readonly Refusal[],
): GridState {
  const refused = [...refusals].sort((a, b) => a.slot - b.slot);
  const same =
    refused.length === state.refused.length &&
    refused.every((refusal, i) => isSameRefusal(refusal, state.refused[i])) &&
    state.slots.every((slot) => (planned.get(slot.index) ?? slot) === slot);
  return same
    ? state
    : { ...state, slots: state.slots.map((slot) => planned.get(slot.index) ?? slot), refused };
}

const nearestFirst = (slots: readonly Slot[], mid: Decimal): Slot[] => {
  const distance = (slot: Slot) => {
    const away = (slot.side === "buy" ? slot.lower : sellPrice(slot)) - mid;
    return away < ZERO ? -away : away;
  };
  return [...slots].sort((a, b) =>
    distance(a) < distance(b) ? -1 : distance(a) > distance(b) ? 1 : a.index - b.index,
  );
};

function spendFunds(funds: Funds, market: Market, wish: Wish): Funds {
  const { asset, amount } = need(market, wish);
  return { ...funds, [asset]: (funds[asset] ?? ZERO) - amount };
}
