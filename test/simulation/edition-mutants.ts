import { type Mutant, one } from "./mutant.ts";
import { type Edition, IS_OF } from "./shape.ts";

/** Clocks jump, each alone. */
const CLOCKS: Edition = 10;

/** Tried with the seeds of one edition. */
const shownIn = (edition: Edition, mutant: Mutant): Mutant => ({ ...mutant, edition });

/**
 * Of what the editions from the tenth on do. No seed of another edition shows them, but for three of wrong answers: a
 * lookup that fails, a list that leaves out an order, and trades that cannot be read, which other faults show at times.
 */
export const EDITION_MUTANTS: readonly Mutant[] = [
  shownIn(
    IS_OF.lateRestores,
    one(
      "ended orders are not searched after a restore",
      "src/engine/pass/observe-ended.ts",
      "if (!endedOrders) return",
      "if (endedOrders) return",
    ),
  ),
  shownIn(
    IS_OF.quotesBesideGrids,
    one(
      "the base of other kinds is free",
      "src/engine/decide/share.ts",
      "const holding = sum(same.map(",
      'const holding = sum(same.filter(({ kind }) => kind === "grid").map(',
    ),
  ),
  shownIn(
    IS_OF.quotesBesideGrids,
    one(
      "a stop of quotes keeps their orders",
      "src/engine/operations/changes.ts",
      "{ keepOrders: false, ...flags }",
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
      "src/engine/decide/closed.ts",
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
      "src/adapters/ccxt/account/spending.ts",
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
      "() => venue.order(key), order.strategy)",
      "() => venue.order(key).catch(() => undefined), order.strategy)",
    ),
  ),
  shownIn(
    IS_OF.wrongAnswers,
    one(
      "a second lookup that finds nothing may follow at once",
      "src/engine/reconcile/order-life.ts",
      "longest + readLag : secondMiss)",
      "longest + readLag : 0)",
    ),
  ),
  shownIn(
    IS_OF.accounts,
    one(
      "only one account that is due gets a pass",
      "src/engine/pass/tick.ts",
      "return Promise.all(due.map(stepDue));",
      "return Promise.all(due.slice(0, 1).map(stepDue));",
    ),
  ),
  shownIn(
    IS_OF.rules,
    one(
      "a price keeps the tick of the start",
      "src/grid/plan/wish.ts",
      'snap(price, tick, side === "buy" ? "down" : "up");',
      "price;",
    ),
  ),
  shownIn(
    CLOCKS,
    one(
      "a pass that failed while the clock was ahead waits until then",
      "src/engine/pass/tick.ts",
      "isAhead(retryAt, now, Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.max(0, failures - 1)));",
      "retryAt > now && failures > 0;",
    ),
  ),
  shownIn(
    IS_OF.wrongAnswers,
    one(
      "an order that a list leaves out has ended, whatever a lookup finds",
      "src/engine/pass/observe-orders.ts",
      'reports.set(clientId, found.answer ?? "missing");',
      'const left = found.answer?.status === "open" && open.some(({ at }) => at > order.createdAt);\n    reports.set(clientId, left && found.answer ? { ...found.answer, status: "canceled" } : (found.answer ?? "missing"));',
    ),
  ),
  shownIn(IS_OF.wrongAnswers, {
    // Either of the two alone is harmless: what the one misses the other finds.
    name: "trades that cannot be read are none, and not asked for by their order",
    edits: [
      {
        file: "src/engine/pass/observe-fills.ts",
        from: "const result = await askWithin(budget, () => venue.fills(symbol, request));",
        to: "const none = { fills: [], unreadable: [], covered: { from: request.from, to: request.to ?? snapshot.lease.now }, now: snapshot.lease.now };\n    const result = await askWithin(budget, () => venue.fills(symbol, request).catch(() => none));",
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
