import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { accountKey } from "../../src/model/account.ts";
import type { VenueName } from "../../src/model/market.ts";
import { appOver } from "../support/app.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { orderRequest } from "../support/requests.ts";
import { partOf } from "../support/whole.ts";
import type { Switch } from "./faults.ts";
import type { EmulatedVenue } from "./index.ts";
import { REFUSAL_CODES, type Said } from "./refusal-codes.ts";

interface Kind {
  readonly name: VenueName;
  readonly unified: boolean;
}

const KINDS: readonly (readonly [string, Kind])[] = [
  ...(["mexc", "gateio", "bitget", "kraken"] as const).map(
    (name) => [name, { name, unified: false }] as const,
  ),
  ["gateio, a unified account", { name: "gateio", unified: true }],
  ["bitget, a unified account", { name: "bitget", unified: true }],
];

interface Case {
  readonly faults: readonly Switch[];
  /** Whether the exchange has taken the order in the end. */
  readonly placed: boolean;
  readonly label: "success" | "Order failed" | "Order unknown";
  /** How late reads show what is new. */
  readonly late?: number;
  /** Of which kind its words are, and whether it has acted all the same. */
  readonly says?: { readonly result: Said["result"]; readonly acts: boolean };
}

const says = (result: Said["result"], acts: boolean): Case => ({
  faults: [],
  says: { result, acts },
  placed: acts,
  label: result === "rejected" ? "Order failed" : "Order unknown",
});

const lost = (kind: Switch["kind"], acts: boolean): Case => ({
  faults: [{ kind, acts, route: "create" }],
  placed: acts,
  label: "Order unknown",
});
const SILENT = [
  "server_error",
  "bad_gateway",
  "empty",
  "cut",
  "truncated",
  "hang",
  "hang_body",
  "drop",
] as const;
const READS = ["open", "order", "closed", "fills"] as const;

const CASES: Record<string, Case> = {
  ...Object.fromEntries(
    SILENT.flatMap((kind) => [
      [`${kind}, before it acted`, lost(kind, false)],
      [`${kind}, after it acted`, lost(kind, true)],
    ]),
  ),
  "429": { faults: [{ kind: "rate_limit", route: "create" }], placed: false, label: "Order failed" },
  "a refusal that is certain": says("rejected", false),
  "a code that nobody knows, before it acted": says("unknown", false),
  "a code that nobody knows, after it acted": says("unknown", true),
  maintenance: { ...lost("maintenance", false) },
  "seen 5 s late": { faults: [], placed: true, label: "success", late: 5 * SECOND },
  "seen 5 s late, the answer lost": { ...lost("drop", true), late: 5 * SECOND },
  "acts 3 s late": {
    faults: [{ kind: "late", millis: 3 * SECOND, route: "create" }],
    placed: true,
    label: "Order unknown",
  },
  "acts after it has expired": {
    // A unified account of bitget has no shorter end of a request than that of its signature, 30 s.
    faults: [{ kind: "late", millis: 32 * SECOND, route: "create" }],
    placed: false,
    label: "Order unknown",
  },
  "the answer lost, then reads that fail": {
    faults: [
      { kind: "drop", acts: true, route: "create" },
      { kind: "bad_gateway", route: READS, times: 3 },
    ],
    placed: true,
    label: "Order unknown",
  },
  "never sent on, then reads that hang": {
    faults: [
      { kind: "drop", route: "create" },
      { kind: "hang", route: READS },
    ],
    placed: false,
    label: "Order unknown",
  },
};

/** Long enough for a lost order to be given up: its expiry, the read lag, a second look, and failed passes between. */
const RESOLVED = 200 * SECOND;

/** Less than a request takes to expire, and more than the latest act in time. */
const BETWEEN = 4 * SECOND;

const PLACED = KINDS.map(([kind, of], place) => [kind, { ...of, place }] as const);

describe.each(PLACED)("a manual order on %s whose request meets", (_kind, { name, unified, place }) => {
  let setup: Awaited<ReturnType<typeof emulatedExchanges>>;
  let exchange: EmulatedVenue;
  let app: Awaited<ReturnType<typeof appOver>>;
  let count = 0;
  beforeAll(async () => {
    const timing = { requestTimeout: 5 * SECOND, readLag: 10 * SECOND, secondMiss: 5 * SECOND };
    setup = await emulatedExchanges({ names: [name], timing, venue: { unified } });
    exchange = setup.exchange(name);
    app = await appOver(setup.deps);
  });
  beforeEach(() => exchange.heal());
  afterAll(() => setup.close());

  const post = async (clientOrderId: string) => {
    const response = await app.ask("/api/v1/orders", {
      method: "POST",
      headers: {
        authorization: `Bearer ${app.tokens.trade}`,
        "content-type": "application/json",
        "idempotency-key": `key-of-${clientOrderId}`,
      },
      body: JSON.stringify(orderRequest({ exchange: name, price: 50000 - count, clientOrderId })),
    });
    const body = (await response.json()) as { success?: boolean; error?: string; clientOrderId?: string };
    return { status: response.status, label: body.success ? "success" : body.error, id: body.clientOrderId };
  };

  async function resolve(clientOrderId: string) {
    for (let passed = 0; passed < RESOLVED; passed += BETWEEN) {
      setup.time.pass(BETWEEN);
      exchange.advance();
      await runRound(setup.deps);
      const order = await setup.deps.store.orderByClientId(
        accountKey(setup.deps.venue(name).account),
        clientOrderId,
      );
      if (order && (order.settled || order.state === "open")) return order;
    }
    throw new Error("the order was never resolved");
  }

  it.each(partOf(Object.entries(CASES), place))(
    "%s",
    async (_name, { faults, placed, label, late = 0, says: words }) => {
      const clientOrderId = `case${String(++count).padStart(8, "0")}`;
      exchange.late({ orders: late });
      for (const fault of faults) exchange.fail(fault);
      const said = words && REFUSAL_CODES[name].findLast(({ result }) => result === words.result);
      if (said) exchange.fail({ kind: "says", route: "create", acts: words?.acts ?? false, ...said });
      const first = await post(clientOrderId);
      expect(first.label).toBe(label);
      if (label === "Order unknown") expect(first).toMatchObject({ status: 500, id: clientOrderId });
      // The same key never acts again: it tells what is known by now.
      const again = await post(clientOrderId);
      expect(label === "Order unknown" && placed ? ["success", label] : [label]).toContain(again.label);

      const order = await resolve(clientOrderId);
      const there = exchange.byClient(clientOrderId);
      expect(there).toHaveLength(placed ? 1 : 0);
      if (placed) expect([order.state, order.exchangeId]).toEqual(["open", there[0]?.id]);
      else expect([order.state, order.settled]).toEqual(["rejected", true]);
      expect(exchange.open().every(({ amount }) => amount === decimal("0.001"))).toBe(true);
      expect((await post(clientOrderId)).label).toBe(placed ? "success" : "Order failed");
      expect(exchange.byClient(clientOrderId)).toHaveLength(placed ? 1 : 0);
    },
  );
});
