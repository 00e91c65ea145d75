import { EDITION_MUTANTS } from "./edition-mutants.ts";
import { type Mutant, one, shownBy } from "./mutant.ts";
import { PROTOCOL_MUTANTS } from "./protocol-mutants.ts";

const ofQuotes = (mutant: Mutant): Mutant => ({ ...mutant, strategy: "quote" });

/** Of what quotes do: their price, their bounds, their books, and that they move. */
export const QUOTE_MUTANTS: readonly Mutant[] = [
  {
    name: "quotes cross the account's own orders",
    edits: [
      {
        file: "src/quote/levels.ts",
        from: 'firstMet(reachOf({ ...quoteLevel, type: "limit" }), own) !== undefined;',
        to: 'firstMet(reachOf({ ...quoteLevel, type: "limit" }), []) !== undefined;',
      },
      {
        file: "src/engine/position/place.ts",
        from: 'const met = firstMet(reachOf({ side, price, type: "limit" }), others);',
        to: "const met = others.find(({ price: other }) => other < 0n);",
      },
    ],
  },
  {
    name: "quotes forget how much base they may hold",
    edits: [
      {
        file: "src/quote/levels.ts",
        from: 'const bound = side === "buy" ? most : least;',
        to: 'const bound = side === "buy" ? null : least;',
      },
      {
        file: "src/engine/position/place.ts",
        from: "const room = inventory.most === undefined ?",
        to: "const room = inventory.most !== null ?",
      },
    ],
  },
  {
    name: "quotes forget how much base they want to keep",
    edits: [
      {
        file: "src/quote/levels.ts",
        from: 'const bound = side === "buy" ? most : least;',
        to: 'const bound = side === "buy" ? most : null;',
      },
      {
        file: "src/engine/position/place.ts",
        from: "const least = inventory.least ?? ZERO;",
        to: "const least = ZERO;",
      },
    ],
  },
  one(
    "a stale price is taken for a fresh one",
    "src/quote/reference.ts",
    'if (age !== null && age > maxAge) return { ...result, because: "stale" };',
    "",
  ),
  one(
    "the middle of a crossed or locked book is a price",
    "src/engine/position/position.ts",
    "bid === undefined || ask === undefined || bid >= ask ? undefined",
    "bid === undefined || ask === undefined ? undefined",
  ),
  one(
    "without any price it is quoted around the last one",
    "src/quote/plan.ts",
    "const reference = referencePrice(view.sources, view.now);",
    "const told = referencePrice(view.sources, view.now);\n  const reference = { ...told, price: told.price ?? 100n * ONE };",
  ),
  one(
    "whoever holds too much leans the wrong way",
    "src/quote/plan.ts",
    "return mul(reference, ONE - boundedSkew(skew, most)",
    "return mul(reference, ONE + boundedSkew(skew, most)",
  ),
  one(
    "an order far from its place is never renewed",
    "src/engine/position/position.ts",
    'abs(price - wish.price) <= mul(wish.price, tolerance.price, "down") &&',
    "price > 0n &&",
  ),
  one(
    "quotes may take",
    "src/model/strategy.ts",
    'postOnly ? "post_only" : "gtc"',
    'postOnly ? "gtc" : "gtc"',
  ),
  one(
    "bids forget what their budget has spent",
    "src/engine/position/place.ts",
    "min(config.budget.quote + state.ledger.quote - spent - ours,",
    "min(config.budget.quote + state.ledger.quote,",
  ),
  one(
    "a bid that has filled frees its budget before it is booked",
    "src/engine/position/place.ts",
    "{ side, price: order.price, amount: max(ZERO, order.amount - order.booked) }",
    "{ side, price: order.price, amount: max(ZERO, order.amount - order.filled) }",
  ),
  one(
    "asks forget what unsettled ones may still take",
    "src/engine/position/place.ts",
    "const own = min(state.base - bound, state.base - least - bound);",
    "const own = min(state.base, state.base - least);",
  ),
  one(
    "a busy slot is given another order",
    "src/quote/pass/run.ts",
    "ofSide(side)(slot) && !busy.has(slot.index)",
    "ofSide(side)(slot) && !busy.has(slot.index + 1000)",
  ),
  one(
    "paused quotes rest on",
    "src/engine/decide/advance.ts",
    "strategy.keepOrders ? kind.outdated(strategy.state, live) : cancellable(live)",
    "kind.outdated(strategy.state, live)",
  ),
  one(
    "a fee in base stays in the books of quotes",
    "src/engine/position/position.ts",
    "base: sign * fill.amount - feeIn(base),",
    "base: sign * fill.amount,",
  ),
  one(
    "a loss ends nothing",
    "src/engine/decide/loss.ts",
    "stays || kind.accounts(strategy, midOf(quote)).total < -config.maxLoss ? resumes : null",
    "stays && kind.accounts(strategy, midOf(quote)).total < -config.maxLoss ? resumes : null",
  ),
].map(ofQuotes);

/** Of what a grid does as a whole: rebuilds, trails, exits, base that moves, fees in other assets. */
export const RULE_MUTANTS: readonly Mutant[] = [
  {
    // A rebuild that is laid out too soon places nothing all the same, and what its old orders fill stays idle.
    name: "neither a rebuild nor what it places waits for its orders to end",
    edits: [
      {
        file: "src/grid/plan/run.ts",
        from: "if (live.length > 0) return strategy;",
        to: "if (live.length > 1000) return strategy;",
      },
      {
        file: "src/grid/plan/run.ts",
        from: "const mustWait = mine.length < live.length ||",
        to: "const mustWait = mine.length > live.length ||",
      },
    ],
  },
  one(
    "a grid that is leaving the market goes on",
    "src/engine/decide/advance.ts",
    'if (strategy.wants === "stop" || strategy.state.exit)',
    'if (strategy.wants === "stop")',
  ),
  one(
    "an exit sells before its orders have ended",
    "src/engine/decide/stop.ts",
    "if ((live.length > 0 && !mayRelease) || isRecovering(strategy, context))",
    "if ((live.length > 0 && !mayRelease && !exit) || isRecovering(strategy, context))",
  ),
  one("drawn base loses its cost", "src/grid/booking.ts", "cost: drawn.cost,", "cost: ZERO,"),
  one(
    "drawn base is sold at its level whatever it cost",
    "src/grid/booking.ts",
    "const sellAt = config.allowLoss ? slot.upper :",
    "const sellAt = config.allowLoss !== false ? slot.upper :",
  ),
  one(
    "a rebuilt grid keeps its generation",
    "src/grid/plan/moves.ts",
    "generation: state.rebuild?.generation ?? state.generation + 1,",
    "generation: state.generation,",
  ),
  shownBy(
    "test/engine/decide/allowance.test.ts",
    one(
      "idle base is the person's",
      "src/engine/decide/decide.ts",
      "const holding = sum(same.map(({ kind, state }) => kinds(kind).holdings(state).base));",
      "const holding = sum(same.map(({ kind, state }) => kinds(kind).holdings({ ...state, idle: [] } as never).base));",
    ),
  ),
  one(
    "what a slot held is lost when it is given up",
    "src/grid/booking.ts",
    "const idle = given.reduce((lots, slot) => withLot(lots, lotOf(slot)), state.idle);",
    "const idle = state.idle;",
  ),
  one(
    "an exit ends with base that could be sold",
    "src/engine/decide/stop.ts",
    "const free = funds && !isUnread ? min(all, funds[market.base] ?? 0n) : all;",
    "const free = exit.tries > 0 ? 0n : funds && !isUnread ? min(all, funds[market.base] ?? 0n) : all;",
  ),
  one(
    "a fee in a third asset lowers the profit twice",
    "src/grid/booking.ts",
    "realized: state.ledger.realized + booked.realized - worth,",
    "realized: state.ledger.realized + booked.realized - worth - worth,",
  ),
  one(
    "a fee in a third asset is not said to have left the account",
    "src/grid/booking.ts",
    "cash: thirds.map(",
    "cash: thirds.slice(1).map(",
  ),
  one(
    "an order stays at a price that its slot has left",
    "src/grid/plan/run.ts",
    "return price !== level && !isAtTick && !mayStay;",
    "return price === undefined && !mayStay;",
  ),
  {
    name: "an order by hand meets our own",
    edits: [
      {
        file: "test/simulation/store/store.ts",
        from: 'if (met) return { result: "meets", order: met };',
        to: "",
      },
      {
        file: "src/orders/operations/self-cross.ts",
        from: "const met = firstMet(reach, open ?? []);",
        to: "const met = firstMet(reach, []) as VenueOrder | undefined;",
      },
    ],
  },
  one(
    "a plan knows no limits",
    "src/grid/plan/next-orders.ts",
    "bounds && refusedWithin(limitOrderOf(wish, market), quote, bounds);",
    "bounds && refusedWithin(limitOrderOf(wish, market), quote, { ...bounds, standings: { version: 0, all: [] } });",
  ),
  one(
    "the statement that records repeats no limit",
    "test/simulation/store/limits.ts",
    "if (!terms) return intents;",
    "if (!terms || intents.length < 1000) return intents;",
  ),
  one(
    "what is recorded is counted when it is recorded again too",
    "test/simulation/store/limits.ts",
    "orders: (before?.orders ?? 0) + recorded.length,",
    "orders: (before?.orders ?? 0) + recorded.length + (recorded.length > 2 ? 1 : 0),",
  ),
  one(
    "an exit is no order of the day",
    "test/simulation/store/pass-store.ts",
    "countUses(tables, expected, limited);",
    'countUses(tables, expected.filter(({ kind }) => kind !== "exit"), limited);',
  ),
  one(
    "a reserve is not kept",
    "src/grid/plan/first-buy.ts",
    ': [{ reason: "safety_reserve" as const, room: quote - openBuys - mul(safetyReserve, whole, "up") }]),',
    ": []),",
  ),
  one(
    "a reserve forgets what other grids are buying for",
    "src/engine/decide/changes.ts",
    "openBuys: (openBuys.get(asset) ?? ZERO) + (planned[asset] ?? ZERO),",
    "openBuys: buys.get(strategy.id) ?? ZERO,",
  ),
  one(
    "a pass forgets what of its capital it has planned with",
    "src/grid/plan/next-orders.ts",
    "capital = capital && committed(capital, view.market, wish);",
    "",
  ),
  one(
    "a grid may hold more of the capital than it was asked to",
    "src/grid/plan/first-buy.ts",
    ': [{ reason: "max_position" as const, room: mul(maxPosition, whole, "down") - position }]),',
    ": []),",
  ),
  one(
    "base that is taken over is no position before the next pass",
    "src/grid/plan/first-buy.ts",
    "return capital && { ...capital, whole: capital.whole + cost, position: capital.position + cost };",
    "return capital && { ...capital, whole: capital.whole + cost * 0n };",
  ),
  one(
    "a first buy knows no reserve and no position",
    "src/grid/plan/first-buy.ts",
    "return most.reduce(min, amount);",
    "return most.length > 1000 ? most.reduce(min, amount) : amount;",
  ),
  one(
    "the day counts half of what its orders come to",
    "src/limits/standing.ts",
    "orders.map((order) => [order.clientId, countedNotional(order, quote)])",
    "orders.map((order) => [order.clientId, countedNotional(order, quote) / 2n])",
  ),
  {
    name: "orders follow each other as soon as they like",
    edits: [
      {
        file: "src/limits/allowed.ts",
        from: "withinOrderGap(result, used)\n",
        to: "undefined\n",
      },
      {
        file: "test/simulation/store/limits.ts",
        from: "(orderGapMillis === null || (count === 1 && last + orderGapMillis <= now))",
        to: "(orderGapMillis === null || count + last > 0)",
      },
    ],
  },
  {
    // What compares a grid's two sums believes the one of them: only the exchange itself knows better.
    name: "a fee in a third asset is in no book, and nobody compares them",
    edits: [
      {
        file: "src/grid/booking.ts",
        from: "cash: thirds.map(",
        to: "cash: thirds.slice(1).map(",
      },
      {
        file: "src/grid/booking.ts",
        from: "return { ...ledger.cash, [base]: movedBase(state), [quote]: ledger.quote };",
        to: "return { ...ledger.moved, ...(base === quote && { [base]: movedBase(state) }) };",
      },
    ],
  },
];

export const MUTANTS: readonly Mutant[] = [
  ...PROTOCOL_MUTANTS,
  ...RULE_MUTANTS,
  ...QUOTE_MUTANTS,
  ...EDITION_MUTANTS,
];
