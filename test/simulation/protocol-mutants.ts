import { type Mutant, one, shownBy } from "./mutant.ts";

/** Of the protocol: intents, leases, looks, trades. */
export const PROTOCOL_MUTANTS: readonly Mutant[] = [
  one(
    "a timeout is a reject",
    "src/engine/pass/act.ts",
    'state: "unknown", exchangeId: null',
    'state: "rejected", exchangeId: null',
  ),
  {
    name: "no write-ahead",
    edits: [
      {
        file: "src/engine/pass/pass.ts",
        from: "const recorded = await record(store, snapshot, decision);",
        to: "const recorded = new Set(decision.creates.map(({ clientId }) => clientId));",
      },
      {
        file: "src/engine/pass/pass.ts",
        from: "await store.settle(snapshot.lease, { ...settled,",
        to: "await record(store, snapshot, decision);\n  await store.settle(snapshot.lease, { ...settled,",
      },
    ],
  },
  one(
    "no fence",
    "test/simulation/store/pass-store.ts",
    "if (row.token !== token || row.owner !== owner)\n",
    "if (row.token < 0)\n",
  ),
  {
    name: "no lease and no fence",
    edits: [
      {
        file: "test/simulation/store/pass-store.ts",
        from: "if (row.token !== token || row.owner !== owner)\n",
        to: "if (row.token < 0)\n",
      },
      {
        file: "test/simulation/store/pass-store.ts",
        from: "if (!row || (isAhead(row.until, now(), MAX_LEASE_MS) && row.owner !== owner)) return undefined;",
        to: "if (!row) return undefined;",
      },
    ],
  },
  one(
    "not found ends an order at once",
    "src/engine/reconcile/order-fills.ts",
    "if (now < order.notAfter + readLag && !isBeyond) return order;",
    "",
  ),
  one(
    "no guard at signing",
    "src/engine/pass/act.ts",
    "mayLeave: () => monotonic() <= last && protocolNow() <= sendBy",
    "mayLeave: () => true",
  ),
  one(
    "stopped while orders may live",
    "src/engine/decide/stop.ts",
    "if ((live.length > 0 && !mayRelease) || isRecovering(strategy, context))",
    "if (live.length > 1000)",
  ),
  one(
    "no trade is known to be booked",
    "src/engine/pass/observe-fills.ts",
    "!booked[symbol]?.has(id) && (at",
    "(at",
  ),
  one(
    "a fee in base is ignored",
    "src/grid/booking.ts",
    "base: fill.amount - feeIn(base), quote:",
    "base: fill.amount, quote:",
  ),
  one(
    "a fee in quote is ignored",
    "src/grid/booking.ts",
    "quote: -(fill.notional + feeIn(quote)) }",
    "quote: -fill.notional }",
  ),
  one(
    "an unknown order is given up and placed again",
    "src/engine/reconcile/order-fills.ts",
    '"filled", "canceled", "expired", "rejected"]',
    '"filled", "canceled", "expired", "rejected", "unknown"]',
  ),
  one(
    "an intent is written though the grid is wanted to stop",
    "test/simulation/store/pass-store.ts",
    'return kind === "slot" ? wants === "run" :',
    'return kind === "slot" ? true :',
  ),
  one(
    "an intent is written though the kill switch is on",
    "test/simulation/store/pass-store.ts",
    "if (isBlockedByKill(kill, kind)) return false;",
    "",
  ),
  one(
    "the kill switch is not read again",
    "src/ports/kill-permit.ts",
    "wasOn = await store.killed(account, kind);",
    "",
  ),
  {
    name: "a cancel is believed",
    edits: [
      {
        file: "src/engine/pass/act.ts",
        from: "let { short } = cancelled;",
        to: 'let { short } = cancelled;\n  for (const { clientId, exchangeId } of cancelled.requested) outcomes.push({ clientId, state: "canceled", exchangeId, reason: null });',
      },
      {
        file: "src/engine/pass/pass.ts",
        from: "const { outcomes, ...acted } = await act(",
        to: "const { outcomes: told, ...acted } = await act(",
      },
      {
        file: "src/engine/pass/pass.ts",
        from: "const reactions = reactionsOf(",
        to: 'const outcomes = [...told, ...urgent.requested.map(({ clientId, exchangeId }) => ({ clientId, state: "canceled" as const, exchangeId, reason: null }))];\n  const reactions = reactionsOf(',
      },
    ],
  },
  {
    // Either of the two alone is harmless: what the one misses the other finds.
    name: "trades are read from the newest one on, and not asked for by their order",
    edits: [
      {
        file: "src/engine/reconcile/order-fills.ts",
        from: "cursor.ahead && !skips ? cursor.at : cursor.at - overlap",
        to: "cursor.at + 1 + 0 * overlap",
      },
      {
        file: "src/engine/reconcile/order-fills.ts",
        from: "Math.min(from, until - readLag, most)",
        to: "from",
      },
      {
        file: "src/engine/pass/observe-fills.ts",
        from: "if (id === undefined || !lacks || !(isLate || isWhole || slots.has(slotOf(order)))) return [];",
        to: "if (id === undefined || !lacks || isLate || !isLate || isWhole) return [];",
      },
    ],
  },
  one(
    "sells what was bought before fees",
    "src/grid/plan/first-buy.ts",
    'roundToStep(unsoldBase(slot), lot, "down")',
    'roundToStep(unsoldBase(slot) > slot.bought ? unsoldBase(slot) : slot.bought, lot, "down")',
  ),
  one(
    "crosses our own orders",
    "src/grid/plan/next-orders.ts",
    "other.side !== side &&",
    "other.side === undefined &&",
  ),
  one("a busy slot places again", "src/grid/plan/run.ts", "...mine.map(({ slot }) => slot),", ""),
  one(
    "takes base that another grid holds",
    "src/engine/decide/decide.ts",
    "least: free - (inUse - locked) -",
    "least: free -",
  ),
  one(
    "the filled amount may fall",
    "src/engine/reconcile/order-fills.ts",
    "const filled = max(order.filled, venueOrder.filled);",
    "const filled = venueOrder.filled;",
  ),
  one(
    "a serial is used again",
    "src/engine/decide/intents.ts",
    "const first = Math.max(state.serial + 1, serialAt(now));",
    "const first = state.serial + 0 * serialAt(now);",
  ),
  shownBy(
    "test/engine/reconcile/reconcile.test.ts",
    one(
      "late trades are booked a second time",
      "src/engine/reconcile/reconcile.ts",
      "const superseded = trade.amount <= order.gap || isBeyond(order, trade);",
      "const superseded = false;",
    ),
  ),
  one(
    "absence from the open list ends an order",
    "src/engine/pass/observe-orders.ts",
    'reports.set(clientId, found.answer ?? "missing");',
    'reports.set(clientId, { ...(found.answer ?? { id: exchangeId ?? "", symbol, side: order.side, type: order.type, price: order.price, amount: order.amount, filled: order.filled, at: 0 }), status: "canceled" });',
  ),
  shownBy(
    "test/engine/reconcile/recovery.test.ts",
    one(
      "a restored database goes on as if it knew all",
      "src/engine/reconcile/recovery.ts",
      "(state.epoch ?? epoch) !== now;",
      "(state.epoch ?? epoch) > now;",
    ),
  ),
  one(
    "a slot flips before its trades are in",
    "src/engine/reconcile/order-fills.ts",
    "isFinal(order) && order.booked >= order.filled",
    "isFinal(order)",
  ),
  shownBy(
    "test/engine/pass/lost-tail.test.ts",
    one(
      "a database that has lost its last commits is not noticed",
      "src/engine/pass/pass.ts",
      "return found.find((order) => current.some((strategy) => isUnnoted(strategy, order)));",
      "return found.find((order) => current.every((strategy) => isUnnoted(strategy, order)) && order.at < 0);",
    ),
  ),
];
