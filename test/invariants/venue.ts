/*
 * What has to hold of an account, judged by what its exchange has seen and by the rows that were there before. Nothing
 * here knows the engine: ids are taken apart by their documented form, amounts are whole numbers of the smallest unit.
 */

export interface SeenOrder {
  readonly id: string;
  readonly clientId: string;
  readonly symbol: string;
  readonly side: "buy" | "sell";
  /** Null where it takes whatever it finds. */
  readonly price: bigint | null;
  readonly isLive: boolean;
}

/** What was true in the moment in which an order came to the exchange. */
export interface Arrival {
  readonly order: SeenOrder;
  /** Every order that the exchange had taken before. */
  readonly before: readonly SeenOrder[];
  /** When the order's row was written; undefined where there was none. */
  readonly recordedAt: number | undefined;
  /** Since when the kill switch is on, and its grid is wanted to stop; undefined where neither. */
  readonly killedAt: number | undefined;
  readonly stoppedAt: number | undefined;
  /** Whether its grid has told that it is over. */
  readonly isOver: boolean;
}

const FORM = /^em[1-9a-z][0-9a-z]{15}$/;
/** The last 18 bits of an id's second half count the orders of one slot. */
const SEQUENCES = 2 ** 18;

/** The slot of an order, by its client id: grid, generation and slot; undefined for an order of no grid. */
export function slotOfId(clientId: string): string | undefined {
  if (!FORM.test(clientId)) return undefined;
  const order = Number.parseInt(clientId.slice(10), 36);
  return `${clientId.slice(2, 10)}.${Math.floor(order / SEQUENCES)}`;
}

export const isOfProduct = (clientId: string): boolean => /^em[0-9a-z]{16}$/.test(clientId);

/** What an order breaks by arriving; nothing for an order of somebody else. */
export function brokenByArrival({ order, before, ...then }: Arrival): string[] {
  if (!isOfProduct(order.clientId)) return [];
  const { clientId } = order;
  const slot = slotOfId(clientId);
  const live = before.filter(({ isLive }) => isLive);
  const twin = slot === undefined ? undefined : live.find((other) => slotOfId(other.clientId) === slot);
  const met = live.find((other) => isOfProduct(other.clientId) && meet(order, other));
  const { recordedAt = Number.NEGATIVE_INFINITY, killedAt, stoppedAt } = then;
  return [
    ...(then.recordedAt === undefined ? [`${clientId} is on the exchange and has no row`] : []),
    ...(before.some((other) => other.clientId === clientId) ? [`${clientId} was taken twice`] : []),
    ...(twin ? [`${clientId} rests beside ${twin.clientId} in one slot`] : []),
    ...(met ? [`${clientId} meets ${met.clientId}, which is our own`] : []),
    ...(killedAt !== undefined && recordedAt > killedAt
      ? [`${clientId} was recorded after the kill switch`]
      : []),
    ...(stoppedAt !== undefined && recordedAt > stoppedAt ? [`${clientId} was recorded after the stop`] : []),
    ...(then.isOver ? [`${clientId} came after its grid had told that it is over`] : []),
  ];
}

const meet = (a: SeenOrder, b: SeenOrder): boolean => {
  if (a.symbol !== b.symbol || a.side === b.side) return false;
  if (a.price === null || b.price === null) return true;
  return a.side === "buy" ? a.price >= b.price : a.price <= b.price;
};

/** Slots in which more than one order rests. */
export function crowded(orders: readonly SeenOrder[]): string[] {
  const bySlot = new Map<string, string[]>();
  for (const { clientId, isLive } of orders) {
    const slot = slotOfId(clientId);
    if (isLive && slot !== undefined) bySlot.set(slot, [...(bySlot.get(slot) ?? []), clientId]);
  }
  return [...bySlot.values()].flatMap((ids) =>
    ids.length > 1 ? [`${ids.join(" and ")} rest in one slot`] : [],
  );
}

/** Sums per asset. */
export type Sums = Readonly<Record<string, bigint>>;

export interface Execution {
  readonly symbol: string;
  readonly side: "buy" | "sell";
  readonly amount: bigint;
  readonly notional: bigint;
  readonly fees: readonly { readonly asset: string; readonly amount: bigint }[];
}

/** What executions have moved, each fee a movement of its own. */
export function movedBy(executions: readonly Execution[]): Sums {
  const sums: Record<string, bigint> = {};
  const add = (asset: string, amount: bigint) => {
    sums[asset] = (sums[asset] ?? 0n) + amount;
  };
  for (const { symbol, side, amount, notional, fees } of executions) {
    const [base = "", quote = ""] = symbol.split("/");
    add(base, side === "buy" ? amount : -amount);
    add(quote, side === "buy" ? -notional : notional);
    for (const fee of fees) add(fee.asset, -fee.amount);
  }
  return sums;
}

/** Where two sums differ, in words. */
export function differences(what: string, found: Sums, expected: Sums): string[] {
  const assets = new Set([...Object.keys(found), ...Object.keys(expected)]);
  return [...assets].flatMap((asset) => {
    const [is, should] = [found[asset] ?? 0n, expected[asset] ?? 0n];
    return is === should ? [] : [`${what}: ${is} ${asset}, and the exchange has moved ${should}`];
  });
}

/** What buys that rest leave of the quote, where some of it is to be left alone. */
export const belowReserve = (quote: bigint, openBuys: bigint, reserve: bigint): string[] =>
  quote - openBuys < reserve ? [`${quote - openBuys} of quote are left, and ${reserve} were to be`] : [];

/** Uses of a limit above it. */
export const aboveLimit = (name: string, used: bigint, most: bigint | undefined): string[] =>
  most !== undefined && used > most ? [`${name}: ${used} used of ${most}`] : [];
