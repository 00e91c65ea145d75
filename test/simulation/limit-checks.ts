import { mul } from "../../src/kernel/decimal.ts";
import { DAY } from "../../src/kernel/time.ts";
import { EVERY_SCOPE, ownLimits, scopeOfAccount } from "../../src/limits/standing.ts";
import type { Order } from "../../src/model/order.ts";
import { aboveLimit, aboveRate } from "../invariants/venue.ts";
import type { Tables } from "./store/tables.ts";

interface At {
  readonly now: number;
  readonly passSince: number;
  readonly violate: (what: string) => void;
}

/** What has just been recorded is within the limits of that moment, and counted once, whatever becomes of it. */
export function withinLimits(
  recorded: readonly Order[],
  tables: Tables,
  { now, passSince, violate }: At,
): void {
  const { orderNotional, dayNotional, openOrders, orderGapMillis } = ownLimits(tables.limits, EVERY_SCOPE);
  const [{ account }] = recorded as [Order];
  const uses = [...tables.limitUses.values()].filter(({ scope }) => scope === scopeOfAccount(account));
  const setAt = tables.events.findLast(({ kind }) => kind === "limits")?.at ?? 0;
  for (const { clientId, price, amount, kind } of recorded) {
    // An exit is as large as the limits allowed when its pass began.
    if (kind === "exit" && setAt >= passSince) continue;
    const notional = mul(price, amount, "up");
    const most = orderNotional?.USDT;
    for (const what of aboveLimit(`${clientId}: notional of an order`, notional, most)) violate(what);
  }
  counted(tables, uses, violate);
  // An exit is counted and never refused.
  if (recorded.some(({ kind }) => kind === "exit")) return;
  const rows = [...tables.orders.values()].filter(isRecordedHere);
  const last = recorded[0]?.clientId;
  const isCounted = (order: Order): boolean => order.side === "buy" || !hasBought(order, rows);
  // An exit can have used up the day; a strategy still sells what it bought.
  if (recorded.some(isCounted)) {
    const today = uses.find(({ day }) => day === Math.floor(now / DAY))?.notional ?? 0n;
    const ofDay = dayNotional?.USDT;
    for (const what of aboveLimit(`${last}: notional of the day`, today, ofDay)) violate(what);
    // Not what was counted: what all orders of the day come to at their own prices.
    const ofToday = rows.filter(({ createdAt }) => Math.floor(createdAt / DAY) === Math.floor(now / DAY));
    const sum = ofToday
      .filter(isCounted)
      .reduce((all, { price, amount }) => all + mul(price, amount, "down"), 0n);
    for (const what of aboveLimit(`${last}: what the day's orders come to`, sum, ofDay)) violate(what);
  }
  const fresh = new Set(recorded.map(({ clientId }) => clientId));
  const before = rows.filter(({ clientId }) => !fresh.has(clientId)).map(({ createdAt }) => createdAt);
  const rate = { now, count: recorded.length, last: Math.max(0, ...before) };
  for (const what of aboveRate(`${last}`, rate, orderGapMillis)) violate(what);
  const open = [...tables.unsettled].filter((id) => tables.orders.get(id)?.account === account).length;
  const mostOpen = openOrders === undefined ? undefined : BigInt(openOrders);
  for (const what of aboveLimit(`${last}: open orders`, BigInt(open), mostOpen)) violate(what);
}

/** What a strategy has bought is sold without a limit; how much of it, the counts decide. */
const hasBought = ({ strategy }: Order, rows: readonly Order[]): boolean =>
  strategy !== null && rows.some((one) => one.strategy === strategy && one.side === "buy" && one.booked > 0n);

/** One that was found after a restore was never recorded here. */
const isRecordedHere = ({ sendBy, notAfter }: Order): boolean => sendBy !== notAfter;

/** Crashes between record and send, lost answers and repeated batches: an intent is counted once. */
function counted(tables: Tables, uses: readonly { readonly orders: number }[], violate: At["violate"]): void {
  const own = [...tables.orders.values()].filter(isRecordedHere).length;
  const all = uses.reduce((sum, { orders }) => sum + orders, 0);
  if (own !== all) violate(`${own} orders were recorded and ${all} are counted`);
}
