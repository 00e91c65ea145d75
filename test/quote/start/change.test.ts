import { describe, expect, it } from "vitest";
import { freedOf } from "../../../src/engine/operations/start-reads.ts";
import { withFirstBase } from "../../../src/engine/position/position.ts";
import { wire } from "../../../src/kernel/decimal.ts";
import { changesText } from "../../../src/lifecycle/plan.ts";
import type { Order } from "../../../src/model/order.ts";
import { holds, planHashOf } from "../../../src/model/shown-plan.ts";
import {
  approvedChange,
  changeFacts,
  changeOfQuote,
  changeWarnings,
  planChange,
} from "../../../src/quote/operations/changes.ts";
import {
  approvedQuotes,
  type ChangeRequest,
  type QuoteInputs,
  quoteConfigOf,
} from "../../../src/quote/start/planned-quote.ts";
import { newQuoteState, type QuoteConfig, type QuoteStrategy } from "../../../src/quote/state.ts";
import { d, market } from "../../support/grid.ts";
import { idOf, NOW, order, reportedOrder, strategy } from "../../support/made.ts";
import { quoteSettings } from "../../support/starts.ts";

/** Around a fixed price of 100: half in base, one order of 99.99 per side. */
const configOf = (over: object = {}): QuoteConfig =>
  quoteConfigOf(
    quoteSettings({
      exchange: "kraken",
      symbol: "BTC/USDT",
      spreadPercent: 2,
      size: 99.99,
      fixedPrice: 100,
      useOwn: false,
      useOthers: false,
      useDex: false,
      skewPercent: 0,
      ...over,
    }),
    { base: d("10"), quote: d("1000") },
  );
const quotes = (over: Partial<QuoteStrategy> = {}): QuoteStrategy =>
  ({
    ...strategy({ phase: "active", status: "running" }),
    id: "q",
    kind: "quote",
    config: configOf(),
    edits: 3,
    state: { ...withFirstBase(newQuoteState(1, d("100")), d("10")), epoch: 1, edits: 3 },
    ...over,
  }) as unknown as QuoteStrategy;
const resting = (side: "buy" | "sell", price: string, amount: string, over: Partial<Order> = {}): Order =>
  order({
    side,
    price: d(price),
    amount: d(amount),
    strategy: "q",
    exchangeId: `${side} ${price}`,
    clientId: idOf({ serial: Number(price) }),
    ...over,
  });
const LIVE = [resting("buy", "99", "1.01"), resting("sell", "101", "0.99")];
const balance = (asset: string, free: string, used = "0") => ({ asset, free: d(free), used: d(used) });
const inputs = (over: Partial<QuoteInputs> = {}): QuoteInputs => ({
  market: market(),
  book: { bids: [], asks: [], at: NOW },
  standings: { version: 0, all: [] },
  open: LIVE.map(({ side, price, amount, exchangeId }) =>
    reportedOrder({ side, price, amount, id: exchangeId ?? "" }),
  ),
  elsewhere: { prices: [], requestedAt: NOW, bookAt: NOW },
  balances: [balance("USDT", "5000"), balance("BTC", "50")],
  kept: { base: 0n, quote: 0n },
  volatility: undefined,
  killed: false,
  now: NOW,
  interval: 5_000,
  ...over,
});
const shown = (
  request: ChangeRequest,
  {
    one = quotes(),
    orders = LIVE,
    given = inputs(),
  }: { one?: QuoteStrategy; orders?: Order[]; given?: QuoteInputs } = {},
) => {
  const { config, changes } = changeOfQuote(one, request);
  const planned = planChange(one, config, given, orders);
  const { bids, asks } = planned.quoting;
  const facts = changeFacts(one, planned, given);
  return {
    changes,
    ...facts.details,
    kept: bids.kept.length + asks.kept.length,
    cancelled: bids.misplaced.length + asks.misplaced.length,
    orders: facts.orders.map(({ side, price, amount }) => ({
      side,
      price: wire(price),
      amount: wire(amount),
    })),
    refused: facts.refused,
    warnings: changeWarnings(one, planned, given),
    planHash: planHashOf(approvedChange(one, config)),
  };
};

describe("a change of running quotes", () => {
  it("is shown as the orders that stay, that are canceled and that are placed", () => {
    const { planHash, ...out } = shown({ spreadPercent: d("4"), levels: 1 });
    expect(out).toMatchObject({
      reference: "100",
      halfSpreadPercent: 2,
      widenedBy: "asked",
      kept: 0,
      cancelled: 2,
      changes: [
        { field: "spreadPercent", from: "2", to: "4" },
        { field: "tolerancePercent", from: "0.25", to: "0.5" },
      ],
      // 99.99 / 98 and 99.99 / 102, in lots of 0.00001.
      orders: [
        { side: "buy", price: 98, amount: 1.0203 },
        { side: "sell", price: 102, amount: 0.98029 },
      ],
      refused: [],
      warnings: [],
    });
    expect(planHash).toMatch(/^[0-9a-f]{32}$/);
    expect(shown({ levels: 2 })).toMatchObject({
      kept: 2,
      cancelled: 0,
      orders: [{ price: 98 }, { price: 102 }],
    });
  });

  it("does not take its own orders for others', and keeps off theirs", () => {
    const other = resting("sell", "97", "1", { strategy: "another" });
    const open = [...inputs().open, reportedOrder({ side: "sell", price: d("97"), id: "sell 97" })];
    const out = shown({ levels: 2 }, { orders: [...LIVE, other], given: inputs({ open }) });
    expect(out.refused).toEqual([
      { id: "buy-1", reason: "would_self_cross" },
      { id: "buy-2", reason: "would_self_cross" },
    ]);
    expect(out).toMatchObject({ kept: 1, cancelled: 1, orders: [{ side: "sell", price: 102 }] });
  });

  it("warns with the budget after its fills, and that a pause delays it", () => {
    const state = quotes().state;
    const bought = {
      ...state,
      base: d("11"),
      ledger: { ...state.ledger, quote: d("-100") },
    };
    const given = inputs({ balances: [balance("USDT", "899"), balance("BTC", "10.5")] });
    const out = shown({ levels: 2 }, { one: quotes({ state: bought, wants: "pause" }), given });
    expect(out.warnings).toEqual([
      { code: "paused", message: "it is paused: it changes when it is resumed" },
      { code: "funds_missing", message: "its budget is 11 BTC, but 10.5 BTC are free" },
      { code: "funds_missing", message: "its budget is 900 USDT, but 899 USDT are free" },
    ]);
  });

  it("names each field that changes, and none that stays", () => {
    const changed = (request: ChangeRequest, over: object = {}) =>
      changesText(changeOfQuote(quotes({ config: configOf(over) }), request).changes);
    expect(changed({ size: d("50"), maxBase: d("7"), minBase: d("1") })).toBe(
      "size 99.99 to 50, maxBase none to 7, minBase none to 1",
    );
    expect(changed({ depth: d("500") })).toBe("size 99.99 to none, depth none to 500");
    expect(changed({ size: d("50") }, { size: undefined, depth: 500 })).toBe(
      "size none to 50, depth 500 to none",
    );
    expect(changed({ defend: { ticks: 20, passes: 60 }, maxLoss: d("30"), fixedPrice: d("101") })).toBe(
      "defend none to 20:60, fixedPrice 100 to 101, maxLoss none to 30",
    );
    expect(changed({ defend: "off", levels: 1, tolerancePercent: d("0.3") }, { defend: "pause:5" })).toBe(
      "defend pause:5 to none, tolerancePercent 0.25 to 0.3",
    );
  });

  it("has no changes if it changes nothing, and is refused if it sets both sizes", () => {
    expect(changeOfQuote(quotes(), { spreadPercent: d("2"), levels: 1 }).changes).toEqual([]);
    expect(() => changeOfQuote(quotes(), { size: d("5"), depth: d("5") })).toThrow(
      "set either size or depth, not both",
    );
  });

  it("follows on a change that no pass has made yet, and on none that is made", () => {
    const edit = configOf({ levels: 4 });
    const levelsAfter = (edits: number) =>
      changeOfQuote(quotes({ edit, edits }), { spreadPercent: d("4") }).config.rules.levels;
    expect([levelsAfter(4), levelsAfter(3)]).toEqual([4, 1]);
  });

  it("has the same hash while the same quotes get the same change", () => {
    const hashOf = (one: QuoteStrategy, config: QuoteConfig) => planHashOf(approvedChange(one, config));
    const hash = hashOf(quotes(), configOf({ levels: 2 }));
    expect(hashOf(quotes(), configOf({ levels: 2 }))).toBe(hash);
    expect(shown({ levels: 2 }).planHash).toBe(hash);
    for (const [one, config] of [
      [quotes({ id: "r" }), configOf({ levels: 2 })],
      [quotes({ edits: 4 }), configOf({ levels: 2 })],
      [quotes(), configOf({ levels: 3 })],
    ] as const)
      expect(hashOf(one, config)).not.toBe(hash);
  });
});

it("the free balances of a change include what the quotes' own orders lock", () => {
  const orders = [
    resting("buy", "99", "1", { filled: d("0.4") }),
    resting("sell", "101", "0.5"),
    resting("sell", "102", "9", { state: "filled" }),
    resting("buy", "98", "7", { strategy: "another" }),
  ];
  const balances = [balance("BTC", "2", "0.75"), balance("USDT", "10", "50"), balance("EUR", "7")];
  // 0.6 at 99 are 59.4, and 0.0594 of fee.
  expect(freedOf(quotes(), orders, { market: market(), balances })).toEqual([
    balance("BTC", "2.5", "0.25"),
    balance("USDT", "69.4594"),
  ]);
});

describe("a plan of quotes", () => {
  const plan = (price: string | null, asks: object[] = []) =>
    ({ reference: { price: price && d(price) }, bids: [], asks, cuts: [] }) as never;
  const place = { exchange: "kraken", symbol: "BTC/USDT" } as const;
  const at = (price: string | null, over: object = {}) => approvedQuotes(configOf(over), plan(price), place);

  it("holds while the price has moved by at most 3 %, with the same settings and levels", () => {
    const hash = planHashOf(at("100"));
    expect(hash).toMatch(/^[0-9a-f]{32}-100$/);
    expect(["97", "100", "103", "96.99", "103.01"].map((price) => holds(at(price), hash))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(holds(at("100", { levels: 2 }), hash)).toBe(false);
    const more = approvedQuotes(configOf(), plan("100", [{ side: "sell", level: 0 }]), place);
    expect(holds(more, hash)).toBe(false);
  });

  it("is another one in paper trading", () => {
    const shown = (dryRun?: boolean) => approvedQuotes(configOf(), plan("100"), { ...place, dryRun });
    const hash = planHashOf(shown());
    expect([holds(shown(false), hash), holds(shown(true), hash)]).toEqual([true, false]);
  });
});
