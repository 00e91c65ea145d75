import { describe, expect, it } from "vitest";
import { withFirstBase } from "../../src/engine/position/position.ts";
import { abs, ONE, text } from "../../src/kernel/decimal.ts";
import type { Draft, Order } from "../../src/model/order.ts";
import type { StrategyContext } from "../../src/ports/kind.ts";
import { quoteKind } from "../../src/quote/kind.ts";
import { newQuoteState, type QuoteConfig, type QuoteStrategy } from "../../src/quote/state.ts";
import { d, market } from "../support/grid.ts";
import { bounds, idOf, judged, NOW, observedMarket, strategy, turn } from "../support/made.ts";
import { configOf } from "./deeds.ts";

const MARKET = market({ tick: d("0.01"), lot: d("0.001"), minAmount: d("0.001"), minNotional: d("5") });
const level = (price: string) => ({ price: d(price), amount: d("10") });
const book = (bids: string[], asks: string[], at = NOW) => ({
  bids: bids.map(level),
  asks: asks.map(level),
  at,
});

const config: QuoteConfig = {
  ...configOf(0),
  rules: { ...configOf(0).rules, strength: 0n },
  tolerance: { price: d("0.001"), amount: d("0.5") },
};
const quoter = (over: Partial<QuoteStrategy> = {}): QuoteStrategy =>
  ({
    ...strategy({ phase: "active", status: "running" }),
    kind: "quote",
    config,
    state: { ...withFirstBase(newQuoteState(4, d("100")), d("5")), epoch: 1 },
    ...over,
  }) as unknown as QuoteStrategy;

const pass = (observed: object, over: Partial<StrategyContext> = {}): StrategyContext => ({
  ...turn({ judge: judged(quoteKind) }),
  observed: observedMarket({
    market: MARKET,
    elsewhere: { prices: [], requestedAt: NOW, bookAt: NOW },
    ...observed,
  }),
  ...over,
});
const run = (one: QuoteStrategy, live: readonly Order[], context: StrategyContext) =>
  quoteKind.run(one, live, context);

/** As the venue would show them a moment later. */
const resting = (drafts: readonly Draft[] = []): Order[] =>
  drafts.map((draft, i) => ({
    ...draft,
    clientId: idOf({ serial: i }),
    state: "open",
    exchangeId: String(i),
  }));

const first = () => {
  const quoted = run(quoter(), [], pass({ book: book(["99"], ["101"]) }));
  return { quoted, live: resting(quoted.intents), after: quoted.strategy as QuoteStrategy };
};

describe("a pass over quotes", () => {
  it("places post-only orders on both sides of the reference, each in a slot", () => {
    const { quoted } = first();
    expect(quoted.intents?.map(({ side, price }) => `${side} ${text(price)}`)).toEqual([
      "buy 99.8",
      "sell 100.2",
    ]);
    expect(quoted.intents?.every(({ timeInForce }) => timeInForce === "post_only")).toBe(true);
    expect(new Set(quoted.intents?.map(({ slot }) => slot)).size).toBe(2);
  });

  it("keeps orders within tolerance, without a request or a write", () => {
    const { after, live } = first();
    const quiet = run(after, live, pass({ book: book(["99.02"], ["101"]) }, { funds: undefined }));
    expect([quiet.cancels, quiet.intents]).toEqual([[], []]);
    expect(quiet.strategy?.state).toBe(after.state);
    const observed = { observed: pass({ book: book(["99.02"], ["101"]) }).observed, now: NOW };
    expect(quoteKind.mayPlace(after, { ...observed, interval: 1, isSimulated: false, free: 0, live })).toBe(
      false,
    );
  });

  it("replaces drifted orders in one pass, each in a new slot", () => {
    const { after, live } = first();
    const moved = run(after, live, pass({ book: book(["100"], ["102"]) }));
    expect(moved.intents?.map(({ side, price }) => `${side} ${text(price)}`)).toEqual([
      "buy 100.79",
      "sell 101.21",
    ]);
    expect(moved.cancels?.map(({ clientId }) => clientId)).toEqual(live.map(({ clientId }) => clientId));
    expect(moved.intents?.some(({ slot }) => live.some((one) => one.slot === slot))).toBe(false);
  });

  it.each([
    ["an empty book", book([], [])],
    ["a book of one side", book(["99"], [])],
    ["a crossed book", book(["101"], ["99"])],
    ["an old book", book(["99"], ["101"], NOW - 60_000)],
  ])("cancels all orders without a price on %s, reports it, and is back within one pass", (_what, result) => {
    const { after, live } = first();
    const blind = run(after, live, pass({ book: result, quote: undefined }));
    expect(blind.cancels).toHaveLength(2);
    expect(blind.intents).toEqual([]);
    expect(blind.strategy?.state.notices.map(({ code }) => code)).toEqual(["no_reference"]);
    expect(blind.events).toMatchObject([{ kind: "error" }]);
    const back = run(blind.strategy as QuoteStrategy, [], pass({ book: book(["99"], ["101"]) }));
    expect(back.intents).toHaveLength(2);
    expect(back.events).toMatchObject([{ kind: "recovered", message: "both sides are quoted again" }]);
  });

  it("quotes from other exchanges' prices if its own book is empty", () => {
    const others: QuoteConfig = { ...config, weights: { ...config.weights, others: d("1") } };
    const elsewhere = {
      prices: [{ source: "mexc", price: d("50"), at: NOW }],
      requestedAt: NOW,
      bookAt: NOW,
    };
    const quoted = run(
      quoter({ config: others }),
      [],
      pass({ book: book([], []), elsewhere, quote: undefined }),
    );
    expect(quoted.intents?.map(({ price }) => text(price))).toEqual(["49.9", "50.1"]);
    expect(quoted.priced).toMatchObject({ bid: d("50"), ask: d("50") });
  });

  it("leaves open orders alone when the book cannot be read for a moment", () => {
    const { after, live } = first();
    const unread = run(after, live, pass({ book: undefined, quote: undefined, error: "no answer" }));
    expect(unread).toEqual({ strategy: { ...after, lastError: "no answer" } });
  });

  it("places no order while its own book is older than the limit allows, although others have a price", () => {
    const others: QuoteConfig = { ...config, weights: { ...config.weights, others: d("1") } };
    const prices = [{ source: "mexc", price: d("50"), at: NOW }];
    const quotedAt = (age: number | null, startedAt = NOW) => {
      const elsewhere = { prices, requestedAt: NOW, bookAt: age === null ? null : NOW - age };
      return run(
        { ...quoter({ config: others }), startedAt },
        [],
        pass(
          { book: undefined, quote: undefined, elsewhere },
          { bounds: { ...bounds({ priceAgeMillis: 60_000 }), now: NOW } },
        ),
      );
    };
    expect(quotedAt(60_000).intents?.map(({ price }) => text(price))).toEqual(["49.9", "50.1"]);
    const old = quotedAt(60_001);
    expect(old.intents).toEqual([]);
    expect(old.strategy?.state.refused).toMatchObject([
      { reason: "limit_price_age", detail: expect.stringContaining("a price that is 60001 ms old") },
      { reason: "limit_price_age" },
    ]);
    // The start has read the book, and no pass since.
    expect(quotedAt(null, NOW - 60_000).intents).toHaveLength(2);
    expect(quotedAt(null, NOW - 60_001).strategy?.state.refused).toMatchObject([
      { reason: "limit_price_age", detail: expect.stringContaining("a price that is 60001 ms old") },
      { reason: "limit_price_age" },
    ]);
  });

  it("keeps the last order of a side without a successor, unless it is too close", () => {
    const { after, live } = first();
    // What is left of both is too little for an order at the new price.
    const rest = live.map((order) => ({ ...order, filled: d("0.5") }));
    const poor = { ...pass({ book: book(["98"], ["100"]) }), funds: { USDT: 0n, BTC: 0n } };
    const fallen = run(after, rest, poor);
    // The bid lies above all that is wanted now, and goes; the ask is only too far away.
    expect(fallen.cancels?.map(({ side }) => side)).toEqual(["buy"]);
    const limited = run(after, live, { ...poor, limit: 0 });
    expect(limited.cancels?.map(({ side }) => side)).toEqual(["buy"]);
  });

  it("follows the price with funds for one order per side", () => {
    const { after, live } = first();
    const risen = book(["109"], ["111"]);
    const locking = { funds: { USDT: 0n, BTC: 0n } };
    const canceled = run(after, live, pass({ book: risen }, locking));
    expect([canceled.cancels?.map(({ side }) => side), canceled.intents]).toEqual([["buy", "sell"], []]);
    // The exchange has released them.
    const freed = { funds: { USDT: d("60"), BTC: d("0.598") } };
    const { intents } = run(canceled.strategy as QuoteStrategy, [], pass({ book: risen }, freed));
    expect(intents?.map(({ side, price }) => `${side} ${text(price)}`)).toEqual([
      "buy 109.78",
      "sell 110.22",
    ]);
  });

  it("cancels the orders that would exceed a new inventory limit, also without funds for smaller ones", () => {
    const { after, live } = first();
    const [bid, ask] = live as [Order, Order];
    const canceled = (rules: object) =>
      run(
        { ...after, edit: { ...config, rules: { ...config.rules, ...rules } }, edits: 1 },
        live,
        pass({ book: book(["99"], ["101"]) }, { funds: { USDT: 0n, BTC: 0n } }),
      ).cancels?.map(({ side }) => side);
    // It has 5 base. The bid and the ask are of about 0.6 each.
    expect([canceled({ mostBase: d("5.2") }), canceled({ leastBase: d("4.8") })]).toEqual([
      ["buy"],
      ["sell"],
    ]);
    expect([canceled({ mostBase: d("5.5") }), canceled({ leastBase: d("4.5") })]).toEqual([
      ["buy"],
      ["sell"],
    ]);
    expect(canceled({ mostBase: d("5") + bid.amount, leastBase: d("5") - ask.amount })).toEqual([]);
  });

  it("cancels the furthest order first if a new inventory limit has room for one", () => {
    const { after, live } = first();
    const [bid, ask] = live as [Order, Order];
    const deep = [
      { ...bid, price: d("99.79"), slot: 2, exchangeId: "2" },
      { ...ask, price: d("100.21"), slot: 3, exchangeId: "3" },
    ];
    const rules = { ...config.rules, mostBase: d("5") + bid.amount, leastBase: d("5") - ask.amount };
    const { cancels } = run(
      { ...after, config: { ...config, rules: { ...rules, levels: 2, gap: d("0.0001") } } },
      [...deep, ...live],
      pass({ book: book(["99"], ["101"]) }),
    );
    expect(cancels?.map(({ exchangeId }) => exchangeId)).toEqual(["2", "3"]);
  });

  it("ends both sides at its loss limit, until a person resumes it", () => {
    const { after, live } = first();
    const limited = { ...after, config: { ...config, maxLoss: d("10") } };
    const lost = run(limited, live, pass({ book: book(["79"], ["81"]) }));
    expect([lost.cancels?.length, lost.intents?.length, lost.strategy?.phase]).toEqual([2, 0, "paused"]);
    expect(lost.strategy?.state.notices).toEqual([
      {
        code: "loss_limit",
        message: "its loss exceeds its maximum of 10 USDT; raise the maximum and resume it, or stop it",
      },
    ]);
    // The engine writes that event, once for every kind of strategy.
    expect(lost.events).toEqual([]);
    const stays = run(lost.strategy as QuoteStrategy, [], pass({ book: book(["99"], ["101"]) }));
    expect(stays.intents).toEqual([]);
    const resumed = { ...(lost.strategy as QuoteStrategy), resumes: 1 };
    expect(run(resumed, [], pass({ book: book(["99"], ["101"]) })).intents).toHaveLength(2);
    // The loss counts from the start, so at the same price a resume alone changes nothing.
    const low = pass({ book: book(["79"], ["81"]) });
    expect(run(resumed, [], low).intents).toEqual([]);
    const raised = { ...resumed, config: { ...config, maxLoss: d("200") } };
    expect(run(raised, [], low).intents).toHaveLength(2);
  });

  it("places nothing that would match an order of the same account", () => {
    const context = pass({ book: book(["99"], ["101"]) });
    const own = { ...context, resting: [{ side: "sell" as const, price: d("99"), id: "1" }] };
    const { intents, strategy: after } = run(quoter(), [], own);
    expect(intents?.map(({ side }) => side)).toEqual(["sell"]);
    expect(after?.state.refused).toMatchObject([{ reason: "would_self_cross" }]);
  });

  it("is placing until nothing moves any more, and only placing while nothing waits", () => {
    const { quoted, after, live } = first();
    expect([quoted.placing, after.phase]).toEqual([true, "placing"]);
    const quiet = run(after, live, pass({ book: book(["99"], ["101"]) }));
    expect([quiet.placing, quiet.strategy?.phase]).toEqual([false, "active"]);
    const unclear = live.map((one) => ({ ...one, state: "unknown" as const }));
    const waits = run(after, unclear, pass({ book: book(["99"], ["101"]) }));
    expect([waits.intents, waits.strategy?.phase]).toEqual([[], "placing"]);
    const moved = run(after, live, pass({ book: book(["100"], ["102"]) }));
    expect([moved.placing, moved.strategy?.phase]).toEqual([false, "placing"]);
    const short = run(
      quoter(),
      [],
      pass({ book: book(["99"], ["101"]) }, { limit: 1, slow: "too few calls" }),
    );
    expect([short.placing, short.short, short.intents?.length]).toEqual([false, true, 1]);
    expect(short.strategy?.lastError).toBe("too few calls");
  });

  it("leaves to the next strategy what its orders do not use, and nothing where nothing is known", () => {
    const funds = { USDT: d("1000"), BTC: d("5") };
    const { intents = [], funds: left } = run(quoter(), [], pass({ book: book(["99"], ["101"]) }, { funds }));
    const [bid, ask] = intents;
    // A bid locks its price and the fee of 0.1 %.
    const cost = ((bid?.price ?? 0n) * (bid?.amount ?? 0n) * 1001n) / 1000n / ONE;
    expect(left?.BTC).toBe(d("5") - (ask?.amount ?? 0n));
    expect(abs((left?.USDT ?? 0n) - (d("1000") - cost)) <= 2n).toBe(true);
    const blind = run(quoter(), [], pass({ book: book(["99"], ["101"]) }, { funds: undefined }));
    expect([blind.funds, blind.intents, blind.short]).toEqual([undefined, [], true]);
    const slots = quoter().state.slots.map((one) =>
      one.index % 2 === 0 ? { ...one, retryAt: NOW + 1 } : one,
    );
    const half = quoter({ state: { ...quoter().state, slots } });
    expect(run(half, [], pass({ book: book(["99"], ["101"]) }, { funds: undefined })).short).toBe(true);
    const reasons = [-1, 2].map((one) => ({ slot: one, reason: "no_quote" as const }));
    const refused = quoter({ state: { ...quoter().state, refused: reasons } });
    const unread = run(refused, [], pass({ book: book(["99"], ["101"]) }, { funds: undefined }));
    expect(unread.strategy?.state.refused).toEqual([{ slot: 2, reason: "no_quote" }]);
    const killed = run(
      quoter(),
      [],
      pass({ book: book(["99"], ["101"]) }, { funds: undefined, killed: true }),
    );
    expect(killed.short).toBe(false);
  });

  it("is paused while a limit has halted it, without orders, and shows why", () => {
    const { after, live } = first();
    const halted = { ...after, state: { ...after.state, halted: "its loss limit of 5 USDT is reached" } };
    const unjudged = {
      ...pass({ book: book(["99"], ["101"]) }),
      judge: ((one: QuoteStrategy) => one) as never,
    };
    const next = run(halted, live, unjudged);
    expect([next.cancels?.length, next.intents?.length, next.strategy?.phase]).toEqual([2, 0, "paused"]);
    expect(next.strategy?.state.notices).toEqual([
      { code: "loss_limit", message: "its loss limit of 5 USDT is reached" },
    ]);
    // The engine writes that event, once for every kind of strategy.
    expect(next.events).toEqual([]);
    const paused = next.strategy as QuoteStrategy;
    const judge = (one: QuoteStrategy) => ({ ...one, state: { ...one.state, halted: null } });
    const resumed = { ...pass({ book: book(["99"], ["101"]) }), judge: judge as never };
    expect(run(paused, [], resumed).events).toMatchObject([
      { kind: "recovered", message: "both sides are quoted again" },
    ]);
  });

  it("could place orders at its start, after a change, and where a level lacks one", () => {
    const { after, live } = first();
    const context = pass({ book: book(["99"], ["101"]) });
    const may = (one: QuoteStrategy, orders: readonly Order[], over: object = {}) =>
      quoteKind.mayPlace(one, { ...context, ...over, live: orders, free: 0 } as never);
    expect(may(after, live)).toBe(false);
    expect(may(after, live.slice(1))).toBe(true);
    expect(may({ ...after, phase: "starting" }, live)).toBe(true);
    expect(may({ ...after, edit: config, edits: 1 }, live)).toBe(true);
    const unread = { observed: { ...context.observed, book: undefined } };
    expect(may(after, live.slice(1), unread)).toBe(false);
    expect(may(after, live.slice(1), { observed: { ...context.observed, market: undefined } })).toBe(false);
  });

  it("is woken by a price beyond its tolerance on either side, once it has one", () => {
    const { after } = first();
    // A thousandth of 100.
    expect(quoteKind.wakesAt?.(after)).toEqual({ below: d("99.9"), above: d("100.1") });
    expect(quoteKind.wakesAt?.(quoter())).toBeUndefined();
  });

  it("stores what has changed, also while no order moves", () => {
    const { after, live } = first();
    const context = pass({ book: book(["99"], ["101"]) });
    const refused = {
      ...after,
      state: { ...after.state, refused: [{ slot: -1, reason: "no_quote" as const }] },
    };
    const cleared = run(refused, live, context);
    expect([cleared.strategy?.state.refused, cleared.strategy?.state.quoted]).toEqual([
      [],
      after.state.quoted,
    ]);
    const watching = { ...after, config: { ...config, rules: { ...config.rules, volatilityFactor: ONE } } };
    const recorded = run(watching, live, context).strategy as QuoteStrategy;
    expect(recorded.state.recentPrices).toEqual([{ at: NOW, price: d("100") }]);
    const error = run({ ...after, status: "error", lastError: "it failed" }, live, context);
    expect(error.strategy).toMatchObject({ status: "running", lastError: null });
  });

  it("waits where it has no calls or knows no balances at its start", () => {
    const context = pass({ book: book(["99"], ["101"]) }, { limit: 0 });
    const short = run(quoter(), [], context);
    expect([short.intents, short.strategy?.phase, short.short]).toEqual([[], "placing", true]);
    const starting = { ...quoter({ phase: "starting" }) };
    expect(run(starting, [], pass({ book: book(["99"], ["101"]) }, { ownBase: undefined }))).toEqual({
      short: true,
    });
  });

  it("does not try a level that the exchange has refused in another slot", () => {
    const slots = quoter().state.slots.map((slot) =>
      slot.index === 0 ? { ...slot, retryAt: NOW + 1 } : slot,
    );
    const waiting = quoter({ state: { ...quoter().state, slots } });
    const { intents, strategy: after } = run(waiting, [], pass({ book: book(["99"], ["101"]) }));
    expect(intents?.map(({ side }) => side)).toEqual(["sell"]);
    expect(after?.state.refused).toEqual([{ slot: 0, reason: "rejected" }]);
  });

  it("quotes again once it has no loss limit any more", () => {
    const { after } = first();
    const lost = { ...after, state: { ...after.state, lostAt: 0 } };
    const context = pass({ book: book(["99"], ["101"]) });
    const free = run(lost, [], context);
    expect([free.intents?.length, free.strategy?.state.lostAt]).toEqual([2, null]);
    const limited = run({ ...lost, config: { ...config, maxLoss: d("10") } }, [], context);
    expect([limited.intents?.length, limited.strategy?.state.lostAt]).toEqual([0, 0]);
  });

  it("stops beyond its loss limit, and not at exactly that loss", () => {
    const { after, live } = first();
    const limited = { ...after, config: { ...config, maxLoss: d("10") } };
    // 5 base that were worth 100 each: at 98 they have lost 10.
    const at = (bid: string, ask: string) =>
      run(limited, live, pass({ book: book([bid], [ask]) })).strategy?.state.lostAt ?? null;
    expect([at("97", "99"), at("96.99", "98.99")]).toEqual([null, 0]);
  });

  it("makes a change in the pass after it, once", () => {
    const { after, live } = first();
    const edit = { ...config, rules: { ...config.rules, halfSpread: d("0.01") } };
    const changed = run({ ...after, edit, edits: 1 }, live, pass({ book: book(["99"], ["101"]) }));
    expect(changed.intents?.map(({ price }) => text(price))).toEqual(["99", "101"]);
    expect(changed.events).toMatchObject([{ kind: "edited", message: "the change is made" }]);
    expect(changed.strategy).toMatchObject({ config: edit, state: { edits: 1 } });
    const again = run(
      changed.strategy as QuoteStrategy,
      resting(changed.intents),
      pass({ book: book(["99"], ["101"]) }),
    );
    expect([again.events, again.intents]).toEqual([[], []]);
  });
});
