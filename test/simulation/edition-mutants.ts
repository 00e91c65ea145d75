import { type Mutant, one } from "./mutant.ts";
import { type Edition, IS_OF } from "./shape.ts";

/** Clocks jump, each alone. */
const CLOCKS: Edition = 10;

/** Tried with the seeds of one edition. */
const shownIn = (edition: Edition, mutant: Mutant): Mutant => ({ ...mutant, edition });

/**
 * Bugs in what the editions from the tenth on draw. Only seeds of its edition show each bug. There are two exceptions
 * among the wrong answers, which other faults can show too: a single lookup that fails, and trades that cannot be read.
 */
export const EDITION_MUTANTS: readonly Mutant[] = [
  shownIn(
    IS_OF.lateRestores,
    one(
      "ended orders are not searched after a restore",
      "src/engine/pass/observe.ts",
      "if (!endedOrders) return",
      "if (endedOrders) return",
    ),
  ),
  shownIn(
    IS_OF.quotesBesideGrids,
    one(
      "the base of other kinds is free",
      "src/engine/decide/decide.ts",
      "const holding = sum(same.map(",
      'const holding = sum(same.filter(({ kind }) => kind === "grid").map(',
    ),
  ),
  shownIn(
    IS_OF.quotesBesideGrids,
    one(
      "a stop of quotes keeps their orders",
      "src/lifecycle/operations/changes.ts",
      "{ keepOrders: !cancelOrders, ...flags }",
      "{ ...flags, keepOrders: true }",
    ),
  ),
  shownIn(
    IS_OF.quotesBesideGrids,
    one(
      "a price of another place counts however old it is",
      "src/quote/pass/sources.ts",
      "weight: source === DEX ? weights.dex : weights.others,\n      ...trusted,",
      "weight: source === DEX ? weights.dex : weights.others,\n      ...trusted,\n      maxAge: 9e15,",
    ),
  ),
  shownIn(
    IS_OF.quotesBesideGrids,
    one(
      "quotes stay open while their book cannot be read",
      "src/engine/pass/observe-markets.ts",
      "market: isUnlisted ? undefined : market,",
      "market: undefined,",
    ),
  ),
  shownIn(
    IS_OF.rules,
    one(
      "a stop on a delisted pair waits for it",
      "src/engine/decide/stop.ts",
      'wants === "stop" && now - (timeInPast(state.closedSince, now) ?? now) >= WAITS',
      'wants === "stop" && now - (timeInPast(state.closedSince, now) ?? now) >= 99 * WAITS',
    ),
  ),
  shownIn(
    IS_OF.wrongAnswers,
    one(
      "a trade id is known on every pair",
      "src/engine/pass/observe-fills.ts",
      "!booked[symbol]?.has(id) &&",
      "!Object.values(booked).some((ids) => ids.has(id)) &&",
    ),
  ),
  shownIn(
    IS_OF.versions,
    one(
      "an older version goes on with what a newer one has stored",
      "src/engine/pass/upgrade.ts",
      "if (version > kind.version) throw",
      "if (version > kind.version) return { ...strategy, version: kind.version };\n  if (version > kind.version) throw",
    ),
  ),
  shownIn(
    IS_OF.budgets,
    one(
      "calls are not deducted from those that were taken",
      "src/adapters/ccxt/account/lease-calls.ts",
      "    hand.add(-cost);\n",
      "    void cost;\n",
    ),
  ),
  shownIn(
    IS_OF.budgets,
    one(
      "the process that turns the kill switch on does not know it",
      "src/ports/kill-permit.ts",
      "const isOn = () => wasOn || store.knownKilled(kind);",
      "const isOn = () => wasOn;",
    ),
  ),
  shownIn(
    IS_OF.wrongAnswers,
    one(
      "a lookup that fails has found nothing",
      "src/engine/pass/observe-orders.ts",
      "() => unlessUnreadable(() => venue.order(key)),",
      "() => unlessUnreadable(() => venue.order(key).catch(() => undefined)),",
    ),
  ),
  shownIn(
    IS_OF.wrongAnswers,
    one(
      "a second lookup that finds nothing may follow at once",
      "src/engine/reconcile/order-fills.ts",
      "longest + readLag : secondMiss)",
      "longest + readLag : 0)",
    ),
  ),
  shownIn(
    IS_OF.accounts,
    one(
      "only one account that is due gets a pass",
      "src/engine/pass/round.ts",
      "return Promise.all(due.map(runDuePass));",
      "return Promise.all(due.slice(0, 1).map(runDuePass));",
    ),
  ),
  shownIn(
    IS_OF.rules,
    one(
      "a price keeps the tick of the start",
      "src/grid/plan/first-buy.ts",
      'roundToStep(price, tick, side === "buy" ? "down" : "up");',
      "price;",
    ),
  ),
  shownIn(
    CLOCKS,
    one(
      "a pass that failed while the clock was ahead waits until then",
      "src/engine/pass/round.ts",
      "isAhead(retryAt, now, Math.min(MAX_BACKOFF_MS, FIRST_PAUSE * 2 ** Math.max(0, failures - 1)));",
      "retryAt > now && failures > 0;",
    ),
  ),
  shownIn(IS_OF.wrongAnswers, {
    name: "an order that many lists in a row leave out has ended, whatever a lookup finds",
    edits: [
      {
        file: "src/engine/pass/observe-orders.ts",
        from: 'reports.set(clientId, found.answer ?? "missing");',
        to: 'reports.set(clientId, found.answer?.status === "open" && isLeftOut(venue, order, open) ? { ...found.answer, status: "canceled" } : (found.answer ?? "missing"));',
      },
      {
        file: "src/engine/pass/observe-orders.ts",
        from: "/** Returns the report of an order whose trades",
        to: `const MAX_LISTS = 12;
const listsWithout = new WeakMap<object, Map<string, number>>();
function isLeftOut({ account }: Venue, { clientId, createdAt }: Order, open: readonly VenueOrder[]): boolean {
  if (!open.some(({ at }) => at > createdAt)) return false;
  const counts = listsWithout.get(account) ?? new Map<string, number>();
  listsWithout.set(account, counts.set(clientId, (counts.get(clientId) ?? 0) + 1));
  return (counts.get(clientId) ?? 0) > MAX_LISTS;
}
/** Returns the report of an order whose trades`,
      },
      {
        file: "src/engine/pass/observe-orders.ts",
        from: "if (listed) reports.set(order.clientId, listed);",
        to: "if (listed) listsWithout.get(venue.account)?.delete(order.clientId);\n    if (listed) reports.set(order.clientId, listed);",
      },
    ],
  }),
  shownIn(IS_OF.wrongAnswers, {
    name: "a lookup that fails ten times in a row has found nothing",
    edits: [
      {
        file: "src/engine/pass/observe-orders.ts",
        from: "() => unlessUnreadable(() => venue.order(key)),",
        to: "() => unlessUnreadable(() => orderUnlessDown(venue, key)),",
      },
      {
        file: "src/engine/pass/observe-orders.ts",
        from: "/** Returns the report of an order whose trades",
        to: `const failures = new WeakMap<object, number>();
async function orderUnlessDown(venue: Venue, key: Parameters<Venue["order"]>[0]) {
  try {
    const found = await venue.order(key);
    failures.delete(venue.account);
    return found;
  } catch (error) {
    const count = (failures.get(venue.account) ?? 0) + 1;
    failures.set(venue.account, count);
    if (count > 9) return undefined;
    throw error;
  }
}
/** Returns the report of an order whose trades`,
      },
    ],
  }),
  shownIn(
    IS_OF.wrongAnswers,
    one(
      "an error in a success is a refusal",
      "src/engine/pass/act.ts",
      'return { clientId, state: "unknown", exchangeId: null, reason: outcome.reason };',
      'return { clientId, state: /error/.test(outcome.reason) ? "rejected" : "unknown", exchangeId: null, reason: outcome.reason };',
    ),
  ),
  shownIn(
    IS_OF.rules,
    one(
      "the first buy of a slot meets the minimum, because its start did",
      "src/grid/plan/first-buy.ts",
      "return meetsMinimum(market, wish.price, wish.amount) ? wish : undefined;",
      'const isWhole = slot.side === "buy" && slot.bought === ZERO && wish.amount > ZERO;\n  return isWhole || meetsMinimum(market, wish.price, wish.amount) ? wish : undefined;',
    ),
  ),
  shownIn(
    IS_OF.rules,
    // Every pair has a fee of 0.1 % at the start.
    one(
      "base is sold at a price that pays the fee of the start",
      "src/grid/booking.ts",
      "ONE - max(market.maker, market.taker)",
      "ONE - ONE / 1000n",
    ),
  ),
  shownIn(IS_OF.wrongAnswers, {
    // Either of the two alone is harmless: what the one misses the other finds.
    name: "trades that cannot be read are none, and not asked for by their order",
    edits: [
      {
        file: "src/engine/pass/observe-fills.ts",
        from: "const result = await callWithinBudget(budget, () => venue.fills(symbol, request));",
        to: "const none = { fills: [], unreadable: [], covered: { from: request.from, to: request.to ?? snapshot.lease.now }, now: snapshot.lease.now };\n    const result = await callWithinBudget(budget, () => venue.fills(symbol, request).catch(() => none));",
      },
      {
        file: "src/engine/pass/observe-fills.ts",
        from: "if (id === undefined || !lacks || !(isLate || isWhole || slots.has(slotOf(order)))) return [];",
        to: "if (id === undefined || !lacks || isLate || !isLate || isWhole) return [];",
      },
    ],
  }),
  shownIn(
    IS_OF.accounts,
    one(
      "a manual order is recorded for the first account",
      "src/orders/operations/create.ts",
      "const account = accountKey(venue.account);",
      'const account = accountKey({ ...venue.account, exchange: "sim" });',
    ),
  ),
  shownIn(
    CLOCKS,
    one(
      "a pass goes on though its clock and the exchange's differ",
      "test/simulation/clocks.ts",
      "if (off > skew + SECOND) throw",
      "if (off < 0) throw",
    ),
  ),
];
