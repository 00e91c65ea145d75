import { describe, expect, it } from "vitest";
import { withFirstBase } from "../../src/engine/position/position.ts";
import { ONE, text } from "../../src/kernel/decimal.ts";
import { HOUR, MINUTE, SECOND } from "../../src/kernel/time.ts";
import type { Order } from "../../src/model/order.ts";
import { quoteKind } from "../../src/quote/kind.ts";
import { newQuoteState, type QuoteStrategy } from "../../src/quote/state.ts";
import { d, market } from "../support/grid.ts";
import { idOf, NOW, observedMarket, strategy, turn } from "../support/made.ts";
import { configOf } from "./deeds.ts";

const MARKET = market({ tick: d("0.01"), lot: d("0.002"), minAmount: d("0.002"), minNotional: d("5") });
const level = (price: number) => ({ price: d(price.toFixed(2)), amount: d("10") });
const rules = { ...configOf(0).rules, strength: 0n, volatilityFactor: ONE };
const begun = {
  ...strategy({ phase: "active", status: "running" }),
  kind: "quote",
  config: { ...configOf(0), rules },
  state: { ...withFirstBase(newQuoteState(4, d("100")), d("5")), epoch: 1 },
} as unknown as QuoteStrategy;

/** One pass over a book around a price; what it places rests at once. */
function passOver(
  before: { readonly one: QuoteStrategy; readonly live: readonly Order[] },
  mid: number,
  now: number,
) {
  const book = { bids: [level(mid - 1)], asks: [level(mid + 1)], at: now };
  const observed = observedMarket({
    market: MARKET,
    book,
    elsewhere: { prices: [], requestedAt: now, bookAt: now },
  });
  const {
    strategy: after,
    intents = [],
    cancels = [],
  } = quoteKind.run(before.one, before.live, {
    ...turn(),
    observed,
    now,
    interval: 5 * SECOND,
  });
  const gone = new Set(cancels.map(({ clientId }) => clientId));
  const placed = intents.map((draft): Order => {
    const clientId = idOf({ slot: draft.slot, serial: now });
    return { ...draft, clientId, state: "open", exchangeId: clientId };
  });
  return {
    one: after as QuoteStrategy,
    live: [...before.live.filter(({ clientId }) => !gone.has(clientId)), ...placed],
  };
}

const half = ({ one }: { one: QuoteStrategy }) => text(one.state.quoted?.halfSpread ?? 0n);

describe("a spread that widens with the market", () => {
  it("is wider in the pass that reads the price move, and back to the setting an hour later", () => {
    let at = passOver({ one: begun, live: [] }, 100, NOW);
    expect(half(at)).toBe("0.002");
    at = passOver(at, 104, NOW + 5 * SECOND);
    expect(Number(half(at))).toBeGreaterThan(0.03);
    for (let now = NOW + MINUTE; now <= NOW + HOUR + 2 * MINUTE; now += 30 * SECOND)
      at = passOver(at, 104, now);
    // Within its tolerance, in which orders stay where they lie.
    expect(Number(half(at))).toBeLessThan(0.003);
  });

  it("writes nothing while the price is unchanged", () => {
    let at = passOver({ one: begun, live: [] }, 100, NOW);
    at = passOver(at, 100, NOW + 5 * SECOND);
    const { state } = at.one;
    for (let minute = 1; minute <= 70; minute++) at = passOver(at, 100, NOW + minute * MINUTE);
    expect(at.one.state).toBe(state);
  });

  it("spreads a move after a long calm over the whole hour", () => {
    const strong = { ...begun, config: { ...begun.config, rules: { ...rules, volatilityFactor: d("10") } } };
    const first = passOver({ one: strong, live: [] }, 100, NOW);
    const at = passOver(first, 102, NOW + 3 * HOUR);
    expect(Number(half(at))).toBeCloseTo(10 * Math.log(1.02) * Math.sqrt(5 / 3600), 6);
    expect(at.one.state.recentPrices).toHaveLength(2);
    expect(at.one.state.recentPrices.at(-1)?.price).toBe(d("102"));
  });
});
