import { type Mutant, one } from "../simulation/mutant.ts";

const INTENTS = "src/engine/decide/intents.ts";
const ONE_LOOK = {
  file: "src/engine/reconcile/order-fills.ts",
  from: "if (missedAt === undefined) return { ...order, misses: 1, missedAt: now };\n  if (now - missedAt < (isBeyond ? longest + readLag : secondMiss)) return order;",
  to: "void [missedAt, secondMiss];",
};

/** Without these two nothing is lost as long as trades are read after open orders, and show at once. */
export const NO_WAIT_FOR_TRADES: Mutant["edits"] = [
  {
    file: "src/engine/reconcile/order-fills.ts",
    from: "isFinal(order) && order.booked >= order.filled;",
    to: "isFinal(order);",
  },
  {
    file: "src/engine/pass/observe-fills.ts",
    from: "if (due.length === 0) return observed;",
    to: "if (due) return observed;",
  },
];

/** The protocol without one of the things that it rests on. */
export const WEAKENED: readonly Mutant[] = [
  one(
    "no wait for the read lag",
    "src/engine/reconcile/order-fills.ts",
    "if (now < order.notAfter + readLag && !isBeyond) return order;",
    "if (now < order.notAfter && !isBeyond) return order;",
  ),
  // A request leaves ten seconds before its lease ends, and the looks are twenty apart: alone, each of the next two is harmless.
  {
    name: "no wait for the expiry, and no other that stands in for it",
    edits: [
      {
        file: INTENTS,
        from: "notAfter: until + expiry + skew,",
        to: "notAfter: until - requestTimeout + skew + 0 * expiry,",
      },
      ONE_LOOK,
    ],
  },
  {
    name: "no wait for the skew, and no other that stands in for it",
    edits: [
      {
        file: INTENTS,
        from: "notAfter: until + expiry + skew,",
        to: "notAfter: until - requestTimeout + expiry + 0 * skew,",
      },
      ONE_LOOK,
    ],
  },
  one(
    "no look at the lease before sending",
    "src/engine/pass/act.ts",
    "mayLeave: () => monotonic() <= last && protocolNow() <= sendBy",
    "mayLeave: () => true",
  ),
  one(
    "the record is not fenced",
    "test/simulation/store/pass-store.ts",
    "async record(lease, changes) {\n      fence(lease);",
    "async record(lease, changes) {",
  ),
  one(
    "the settlement is not fenced",
    "test/simulation/store/pass-store.ts",
    "const row = fence(lease);",
    "const row = accountRow(tables, lease.account);",
  ),
  one(
    "a lease is taken from its holder",
    "test/simulation/store/pass-store.ts",
    "isAhead(row.until, now(), MAX_LEASE_MS) && row.owner !== owner",
    "false",
  ),
  one(
    "the intent does not ask for the kill switch",
    "test/simulation/store/pass-store.ts",
    "if (isBlockedByKill(kill, kind)) return false;",
    "",
  ),
  one(
    "the intent does not ask for a stop",
    "test/simulation/store/pass-store.ts",
    'return kind === "slot" ? wants === "run" :',
    'return kind === "slot" ? true :',
  ),
  one(
    "the kill switch is not read again",
    "src/ports/kill-permit.ts",
    "wasOn = await store.killed(account, kind);",
    "",
  ),
  one(
    "a slow answer about the kill switch counts",
    "src/ports/kill-permit.ts",
    "lookedAt = requestedAt;",
    "lookedAt = local.monotonic() + 0 * requestedAt;",
  ),
  one(
    "a stop does not rest on its wish",
    "test/simulation/store/pass-store.ts",
    'throw new StoreError("fenced", "what is wanted has changed");',
    "void 0;",
  ),
  one(
    "no trade is known to be booked",
    "src/engine/pass/observe-fills.ts",
    "!booked[symbol]?.has(id) && (at",
    "(at",
  ),
  one(
    "a slot buys again before its trades add up",
    "src/engine/reconcile/order-fills.ts",
    "isFinal(order) && order.booked >= order.filled;",
    "isFinal(order);",
  ),
  // An order that fills between the two lacks its trades: it is asked for them, and settles nothing before they add up.
  {
    name: "trades are read before open orders, and no other wait for them",
    edits: [
      {
        file: "src/engine/pass/observe-markets.ts",
        from: "const open = await spend(budget, () => venue.openOrders(symbol));\n  const isDue = tradesAreDue(snapshot, symbol, open, venue.timing);\n  const [fills, price, balances] = await together(\n    isDue ? readFills(venue, snapshot, symbol, budget) : NOTHING_READ,",
        to: "const early = await readFills(venue, snapshot, symbol, budget);\n  const open = await spend(budget, () => venue.openOrders(symbol));\n  const isDue = tradesAreDue(snapshot, symbol, open, venue.timing) || NOTHING_READ !== undefined;\n  const [fills, price, balances] = await together(\n    early,",
      },
      ...NO_WAIT_FOR_TRADES,
    ],
  },
  one(
    "a look that failed found nothing",
    "src/engine/pass/observe-orders.ts",
    "() => venue.order(key)",
    "() => venue.order(key).catch(() => undefined)",
  ),
  one(
    "no wait after a restore",
    "src/engine/reconcile/recovery.ts",
    "recoversUntil: now + longestRecovery(timing),",
    "recoversUntil: now + 0 * longestRecovery(timing),",
  ),
  one(
    "ids that do not follow the clock",
    "src/engine/decide/intents.ts",
    "const first = Math.max(state.serial + 1, serialAt(now));",
    "const first = state.serial + 1 + 0 * serialAt(now);",
  ),
  one(
    "a restore goes unnoticed",
    "src/engine/reconcile/recovery.ts",
    "(state.epoch ?? epoch) !== now;",
    "(state.epoch ?? epoch) > now;",
  ),
];
