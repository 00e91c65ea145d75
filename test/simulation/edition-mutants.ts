import { type Mutant, one } from "./mutant.ts";
import { type Edition, IS_OF } from "./shape.ts";

/** Shown by one edition alone. */
const shownIn = (edition: Edition, mutant: Mutant): Mutant => ({ ...mutant, edition });

/** Of what the editions from the eleventh on do, and no other one. */
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
];
