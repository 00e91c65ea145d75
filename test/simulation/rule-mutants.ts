import { type Mutant, one } from "./mutant.ts";

/** Of what a grid does as a whole: rebuilds, trails, exits, base that moves, fees in other assets. */
export const RULE_MUTANTS: readonly Mutant[] = [
  {
    // A rebuild that is laid out too soon places nothing all the same, and what its old orders fill stays idle.
    name: "neither a rebuild nor what it places waits for its orders to end",
    edits: [
      {
        file: "src/grid/plan/run.ts",
        from: "const next = live.length > 0 ? undefined",
        to: "const next = live.length > 1000 ? undefined",
      },
      {
        file: "src/grid/plan/run.ts",
        from: "const isOld = mine.length < live.length;",
        to: "const isOld = mine.length > live.length;",
      },
    ],
  },
  one(
    "a grid that is leaving the market goes on",
    "src/engine/decide/advance.ts",
    'if (strategy.wants === "stop" || strategy.state.exit)',
    'if (strategy.wants === "stop")',
    1000002,
  ),
  one(
    "an exit sells before its orders have ended",
    "src/engine/decide/stop.ts",
    "if ((live.length > 0 && !mayRelease) || isHeld(strategy, turn))",
    "if ((live.length > 0 && !mayRelease && !exit) || isHeld(strategy, turn))",
  ),
  one("drawn base loses its cost", "src/grid/ledger/draw.ts", "cost: taken.cost,", "cost: ZERO,"),
  one(
    "drawn base is sold at its level whatever it cost",
    "src/grid/ledger/draw.ts",
    "const sellAt = config.allowLoss ? slot.upper :",
    "const sellAt = config.allowLoss !== false ? slot.upper :",
    1000002,
  ),
  one(
    "a rebuilt grid keeps its generation",
    "src/grid/plan/rebuild.ts",
    "generation: state.rebuild?.generation ?? state.generation + 1,",
    "generation: state.generation,",
    1000002,
  ),
  one(
    "idle base is the person's",
    "src/engine/decide/share.ts",
    "const holding = sum(same.map(({ kind, state }) => kinds(kind).holdings(state).base));",
    "const holding = sum(same.map(({ kind, state }) => kinds(kind).holdings({ ...state, idle: [] } as never).base));",
    2000109,
  ),
  one(
    "what a slot held is lost when it is given up",
    "src/grid/ledger/draw.ts",
    "const idle = given.reduce((lots, slot) => withLot(lots, lotOf(slot)), state.idle);",
    "const idle = state.idle;",
  ),
  one(
    "an exit ends with base that could be sold",
    "src/engine/decide/exit.ts",
    "const free = funds ? min(all, funds[market.base] ?? 0n) : all;",
    "const free = exit.tries > 0 ? 0n : funds ? min(all, funds[market.base] ?? 0n) : all;",
    1000020,
  ),
  one(
    "a fee in a third asset lowers the profit twice",
    "src/grid/ledger/booking.ts",
    "realized: state.ledger.realized + booked.realized - worth,",
    "realized: state.ledger.realized + booked.realized - worth - worth,",
    2000001,
  ),
  one(
    "a fee in a third asset is not said to have left the account",
    "src/grid/ledger/booking.ts",
    "cash: thirds.map(",
    "cash: thirds.slice(1).map(",
    2000001,
  ),
  one(
    "an order stays at a price that its slot has left",
    "src/grid/plan/outdated.ts",
    "return price !== level && !mayStay;",
    "return price === undefined && !mayStay;",
    1000221,
  ),
  {
    name: "an order by hand meets our own",
    shownBy: 3000000,
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
    "src/grid/plan/refusal.ts",
    "bounds && refusedWithin(limitOrderOf(wish, market), quote, bounds);",
    "bounds && refusedWithin(limitOrderOf(wish, market), quote, { ...bounds, standings: { version: 0, all: [] } });",
    4000000,
  ),
  one(
    "the statement that records repeats no limit",
    "test/simulation/store/limits.ts",
    "if (!terms) return intents;",
    "if (!terms || intents.length < 1000) return intents;",
    4000009,
  ),
  one(
    "what is recorded is counted when it is recorded again too",
    "test/simulation/store/limits.ts",
    "orders: (before?.orders ?? 0) + recorded.length,",
    "orders: (before?.orders ?? 0) + recorded.length + (recorded.length > 2 ? 1 : 0),",
    4000000,
  ),
  one(
    "an exit is no order of the day",
    "test/simulation/store/step-store.ts",
    "countUses(tables, wanted, limited);",
    'countUses(tables, wanted.filter(({ kind }) => kind !== "exit"), limited);',
    1000000,
  ),
];
