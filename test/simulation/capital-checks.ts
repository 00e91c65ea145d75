import { type GridStrategy, isGrid } from "../../src/grid/state/state.ts";
import type { Decimal } from "../../src/kernel/decimal.ts";
import type { Order } from "../../src/model/order.ts";
import type { Strategy } from "../../src/model/strategy.ts";
import type { Changes } from "../../src/ports/stores/pass-store.ts";
import { isQuote } from "../../src/quote/state.ts";
import { abovePosition, belowReserve, costOf } from "../invariants/venue.ts";
import type { Committed } from "./history.ts";
import type { Tables } from "./store/tables.ts";

interface Around {
  readonly now: () => number;
  readonly violate: (what: string) => void;
  /** When the earliest reads of the pass that holds the lease were true. */
  readonly readSince: () => number;
  /** What the account begins with of quote. */
  readonly first: Decimal;
}

const ENDS: readonly Order["state"][] = ["filled", "canceled", "expired", "rejected"];
const WHOLE = 10n ** 18n;
const QUOTE = "USDT";

/** Shares of the capital that buys stay within: told from what the exchange has committed, and what the rows hold. */
export function createCapitalChecks({ now, violate, readSince, first }: Around) {
  /** What the account had of quote until then. */
  let had: { readonly until: number; readonly total: Decimal }[] = [];
  let has = first;
  const executed = new Map<string, Decimal>();
  let earlier: readonly Strategy[] = [];
  /** Orders that a pass has seen at their end: it counts them no more, though another's change stands before theirs. */
  const ended = new Set<string>();
  /** What strategies hold by that pass, until their own change stands. */
  const coming = new Map<string, Decimal>();

  const most = (): Decimal => {
    const since = readSince();
    had = had.filter(({ until }) => until >= since);
    return had.reduce((all, { total }) => (total > all ? total : all), has);
  };
  const left = ({ clientId, price, amount }: Order): Decimal => {
    const open = amount - (executed.get(clientId) ?? 0n);
    return open > 0n ? (price * open) / WHOLE : 0n;
  };
  const buysOf = (orders: readonly Order[]): Decimal =>
    orders.reduce((sum, order) => (order.side === "buy" ? sum + left(order) : sum), 0n);

  return {
    /** A commit of the exchange, and what it has of quote from then on. */
    committed({ before, change }: Committed, total: Decimal): void {
      had.push({ until: now(), total: before.holdings[QUOTE]?.total ?? 0n });
      has = total;
      const ids = new Map([...before.open, ...change.orders].map(({ id, clientId }) => [id, clientId]));
      for (const { orderId, amount } of change.fills) {
        const clientId = ids.get(orderId) ?? "";
        executed.set(clientId, (executed.get(clientId) ?? 0n) + amount);
      }
    },

    /** A batch that is recorded change by change. */
    refused(changes: readonly Changes[]): void {
      for (const { clientId, state } of changes.flatMap(({ orders }) => orders))
        if (ENDS.includes(state)) ended.add(clientId);
      for (const { strategy } of changes) {
        const row = earlier.find(({ id }) => id === strategy?.id);
        if (row && strategy) coming.set(row.id, costOfAll([{ ...row, state: strategy.state }]));
      }
    },

    /** After each event, with the orders that it has written down. */
    recorded(fresh: readonly Order[], { strategies, orders, unsettled }: Tables): void {
      const all = [...strategies.values()];
      const before = earlier;
      earlier = all;
      for (const one of all) if (!before.includes(one)) coming.delete(one.id);
      const bought = new Set(fresh.flatMap(({ strategy, side }) => (side === "buy" ? strategy : [])));
      const bounded = all.filter((one): one is GridStrategy => bought.has(one.id) && isBounded(one));
      if (bounded.length === 0) return;
      const ids = new Set(fresh.map(({ clientId }) => clientId));
      const open = [...unsettled].map((id) => orders.get(id) as Order).filter(({ strategy }) => strategy);
      // Whoever had its turn before another may have left what that one has taken since.
      const older = open.filter(({ clientId }) => !ids.has(clientId) && !ended.has(clientId));
      const reserved = new Set(bounded.filter(hasReserve).map(({ id }) => id));
      const theirs = fresh.filter(({ strategy }) => reserved.has(strategy ?? ""));
      const [{ id, config } = bounded[0] as GridStrategy] = bounded.filter(hasReserve).sort(byReserve);
      const cost = leastCost(all, before, id, coming);
      const means = { quote: most(), buys: buysOf([...older, ...theirs]), cost };
      for (const what of belowReserve(id, means, config.safetyReserve)) violate(what);
      for (const one of bounded) {
        const mine = open.filter(({ strategy }) => strategy === one.id);
        const position = costOfAll([one]) + buysOf(mine);
        const worth = { quote: most(), cost: mostCost(all, coming) + BigInt(all.length * 1000) };
        for (const what of abovePosition(one.id, position, worth, one.config.maxPosition)) violate(what);
      }
    },
  };
}

const isBounded = (one: Strategy): one is GridStrategy =>
  isGrid(one) && (one.config.safetyReserve !== undefined || one.config.maxPosition !== undefined);
const hasReserve = ({ config }: GridStrategy): boolean => config.safetyReserve !== undefined;
const byReserve = (a: GridStrategy, b: GridStrategy): number =>
  (a.config.safetyReserve ?? 0n) < (b.config.safetyReserve ?? 0n) ? -1 : 1;

const costOfAll = (strategies: readonly Strategy[]): Decimal =>
  strategies.reduce((sum, one) => sum + costOfOne(one), 0n);

/** Quotes hold one lot. */
const costOfOne = (one: Strategy): Decimal =>
  isGrid(one) ? costOf([...one.state.slots, ...one.state.idle]) : isQuote(one) ? costOf([one.state]) : 0n;

/** Whoever had its turn first did not know of the base that another one takes over after it. */
const leastCost = (
  all: readonly Strategy[],
  before: readonly Strategy[],
  id: string,
  coming: ReadonlyMap<string, Decimal>,
): Decimal =>
  all
    .filter(({ status }) => status !== "stopped")
    .reduce((sum, one) => {
      const now = costOfAll([one]);
      const then = costOfAll(before.filter((other) => other.id === one.id));
      const costs = one.id === id ? [now] : [now, then, coming.get(one.id) ?? now];
      return sum + costs.reduce((least, cost) => (cost < least ? cost : least));
    }, 0n);

/** What they hold once the batch stands whole: another one's buy is paid before its change says so. */
const mostCost = (all: readonly Strategy[], coming: ReadonlyMap<string, Decimal>): Decimal =>
  all.reduce((sum, one) => {
    const [now, then] = [costOfAll([one]), coming.get(one.id) ?? 0n];
    return sum + (now > then ? now : then);
  }, 0n);
