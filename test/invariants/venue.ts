/*
 * What has to hold of an account, judged by what its exchange has seen and by the rows that were there before. Nothing
 * here knows the engine: ids are taken apart by their documented form, amounts are whole numbers of the smallest unit.
 */

export interface ShownOrder {
  readonly clientId: string;
  readonly symbol: string;
  readonly side: "buy" | "sell";
  /** Null where it takes whatever it finds. */
  readonly price: bigint | null;
  /** The service looks after it: it came through it, and has not been left to the person since. */
  readonly isOurs: boolean;
}

/** What was true in the moment in which an order came to the exchange. */
export interface Arrival {
  readonly order: ShownOrder;
  /** Every order that rested there, whosever it was. */
  readonly live: readonly ShownOrder[];
  /** Whether the exchange had taken an order of this client id before. */
  readonly wasAccepted: boolean;
  /** Whether it had been written down before. */
  readonly hasRow: boolean;
  /** Whether its grid has told that it is over. */
  readonly isOver: boolean;
}

const FORM = /^em[1-9a-z][0-9a-z]{15}$/;
/** The last 18 bits of an id's last ten characters name the slot and its generation. */
const PLACES = 2 ** 18;
/** The first six are 36^5 more than the millisecond of the start, modulo 35 * 36^5. */
const STRATEGY_TAGS = 35 * 36 ** 5;

/** The slot of an order, by its client id: grid, generation and slot; undefined for an order of no grid. */
export function slotOfId(clientId: string): string | undefined {
  if (!FORM.test(clientId)) return undefined;
  const order = Number.parseInt(clientId.slice(8), 36);
  return `${clientId.slice(2, 8)}.${order % PLACES}`;
}

/** Whether an order is of the strategy that began in a millisecond, by its client id. */
export const isOfStrategy = (clientId: string, number: number): boolean =>
  FORM.test(clientId) && Number.parseInt(clientId.slice(2, 8), 36) === 36 ** 5 + (number % STRATEGY_TAGS);

export const isOfProduct = (clientId: string): boolean => /^em[0-9a-z]{16}$/.test(clientId);

/** What an order breaks by arriving; nothing for an order of somebody else. */
export function brokenByArrival({ order, live, wasAccepted, hasRow, isOver }: Arrival): string[] {
  const { clientId } = order;
  if (!isOfProduct(clientId)) return [];
  const slot = slotOfId(clientId);
  const twin = slot === undefined ? undefined : live.find((other) => slotOfId(other.clientId) === slot);
  const met = live.find((other) => other.isOurs && meet(order, other));
  return [
    ...(hasRow ? [] : [`${clientId} is on the exchange and has no row`]),
    ...(wasAccepted ? [`${clientId} was taken twice`] : []),
    ...(twin ? [`${clientId} and ${twin.clientId} rest in one slot`] : []),
    ...(met ? [`${clientId} could trade with ${met.clientId}, which is our own`] : []),
    ...(isOver ? [`${clientId} came after its grid had told that it is over`] : []),
  ];
}

/** A slot that has bought sells before it buys as much again. */
export const brokenByHolding = (
  {
    clientId,
    side,
    amount,
  }: { readonly clientId: string; readonly side: "buy" | "sell"; readonly amount: bigint },
  inventory: bigint,
): string[] =>
  side === "buy" && slotOfId(clientId) !== undefined && inventory >= amount
    ? [`${clientId} buys ${amount} though its slot holds ${inventory}`]
    : [];

const meet = (a: ShownOrder, b: ShownOrder): boolean => {
  if (a.symbol !== b.symbol || a.side === b.side) return false;
  if (a.price === null || b.price === null) return true;
  return a.side === "buy" ? a.price >= b.price : a.price <= b.price;
};

/** A row in the moment in which it was written, and what people wanted then. */
export interface Recording {
  readonly clientId: string;
  /** It was placed for a slot; exits and orders by hand are placed whatever a grid is wanted to do. */
  readonly isOfSlot: boolean;
  readonly wants: string | undefined;
  readonly killed: boolean;
}

/** What a row breaks by being written. */
export const brokenByRecording = ({ clientId, isOfSlot, wants, killed }: Recording): string[] => [
  ...(killed ? [`${clientId} was recorded though the kill switch is on`] : []),
  ...(isOfSlot && wants !== "run" ? [`${clientId} was recorded though its grid is to ${wants}`] : []),
];

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

/** Uses of a limit above it. */
export const aboveLimit = (name: string, used: bigint, most: bigint | undefined): string[] =>
  most !== undefined && used > most ? [`${name}: ${used} used of ${most}`] : [];

/** A part of what a grid holds: what it has bought at which cost in quote, and how much of that it has sold again. */
export interface Lot {
  readonly base: bigint;
  readonly cost: bigint;
  readonly sold?: bigint;
}

/** What is held has cost, each lot by its share: a lower bound to the unit. */
export const costOf = (lots: readonly Lot[]): bigint =>
  lots.reduce(
    (sum, { base, cost, sold = 0n }) => sum + (base > 0n ? cost - (cost * sold) / base - 1n : cost),
    0n,
  );

/** What is held. */
export const positionOf = (lots: readonly Pick<Lot, "base" | "sold">[]): bigint =>
  lots.reduce((sum, { base, sold = 0n }) => sum + base - sold, 0n);

/** One, in shares and in amounts. */
const WHOLE = 10n ** 18n;

/** What a grid's buys are measured by, all in quote. */
export interface Means {
  /** The most that the account had at any moment that its last reads may be of, locked or not. */
  readonly quote: bigint;
  /** What may still be spent by the buys of all its grids that are under way, and with these alone. */
  readonly buys: bigint;
  /** What all of its grids hold has cost. */
  readonly cost: bigint;
}

/** Buys that leave less quote than a share of what the account is worth. */
export const belowReserve = (
  name: string,
  { quote, buys, cost }: Means,
  share: bigint | undefined,
): string[] =>
  share !== undefined && (quote - buys) * WHOLE < share * (quote + cost) - WHOLE
    ? [`${name} leaves ${quote - buys} of ${quote + cost}, and ${share} of it is to stay`]
    : [];

/** A grid that holds, or may come to hold, more than a share of what the account is worth. */
export const abovePosition = (
  name: string,
  position: bigint,
  { quote, cost }: Pick<Means, "quote" | "cost">,
  share: bigint | undefined,
): string[] =>
  share !== undefined && position * WHOLE > share * (quote + cost) + WHOLE
    ? [`${name} may come to hold ${position} of ${quote + cost}, and ${share} of it is allowed`]
    : [];

/** Orders that follow each other sooner than they may, or more of them at once. */
export const aboveRate = (
  name: string,
  { now, count, last }: { readonly now: number; readonly count: number; readonly last: number },
  gap: number | undefined,
): string[] =>
  gap !== undefined && (count > 1 || now < last + gap)
    ? [`${name}: ${count} orders, ${now - last} ms after the last, and ${gap} ms are to lie between two`]
    : [];
