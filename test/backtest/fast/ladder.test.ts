import { describe, expect, it } from "vitest";
import { ladderOf, rungsOf } from "../../../src/backtest/jump.ts";
import { RULES } from "../../../src/backtest/ticks.ts";
import type { GridConfig } from "../../../src/grid/state/config.ts";
import type { GridStrategy, Slot } from "../../../src/grid/state/state.ts";
import { type Decimal, ZERO } from "../../../src/kernel/decimal.ts";
import type { Market } from "../../../src/model/market.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { order, strategy } from "../../support/made.ts";

const MARKET = market({ tick: d("1"), lot: d("0.001"), maker: d("0.001"), taker: d("0.002") });
/** One slot buys at 90, one sells its 0.8 base at 110, and one waits for a price above 110. */
const SLOTS = [
  slot({ index: 2, lower: d("110"), upper: d("120"), size: d("90"), side: "sell" }),
  slot({ index: 0, lower: d("90"), upper: d("100"), size: d("90") }),
  slot({ index: 1, lower: d("100"), upper: d("110"), size: d("90"), side: "sell", base: d("0.8") }),
];
const changed = (index: number, over: Partial<Slot>) =>
  SLOTS.map((one) => (one.index === index ? { ...one, ...over } : one));

interface Over {
  readonly slots?: readonly Slot[];
  readonly busy?: readonly number[];
  readonly config?: Partial<GridConfig>;
  readonly grid?: Partial<GridStrategy>;
  readonly rules?: object;
  readonly on?: Partial<Market>;
}
function laddered(freeQuote: Decimal, { slots = SLOTS, busy = [0, 1], config = {}, ...over }: Over = {}) {
  const own = { ...strategy({ state: state(slots) }), config, ...over.grid } as GridStrategy;
  const account = { strategy: own, orders: busy.map((index) => order({ slot: index })), memory: {} as never };
  return ladderOf(
    account,
    { ...MARKET, ...over.on },
    {
      rules: { ...RULES, ...over.rules },
      freeQuote,
      step: MARKET.tick,
    },
  );
}
const PLENTY = d("1000");

describe("a grid that only its own fills change", () => {
  it("is a ladder, lowest first, with the ticks beyond its prices", () => {
    const ladder = laddered(PLENTY);
    expect(ladder?.slots.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(ladder?.rungs).toEqual({
      buys: Float64Array.of(89, 99, 109),
      sells: Float64Array.of(101, 111, 121),
      lowers: Float64Array.of(90, 100, 110),
      buying: 1,
      armed: 2,
    });
    expect(rungsOf(SLOTS, MARKET.tick, { fill: "touch", spread: ZERO }).buys).toEqual(
      Float64Array.of(110, 90, 100),
    );
  });

  it("ignores what a selling slot has bought, and has an upper price for each slot", () => {
    expect(laddered(PLENTY, { slots: changed(1, { bought: d("0.1") }) })).toBeDefined();
    expect(laddered(PLENTY, { slots: changed(0, { bought: d("0.1") }) })).toBeUndefined();
    expect(laddered(PLENTY, { slots: changed(2, { upper: ZERO }) })).toBeUndefined();
  });

  it("has the quote for every buy that its own sales do not pay", () => {
    // The waiting slot buys 0.818 for 89.98 and 0.2 %: 90.15996. The selling slot needs 90.18 for its next buy, and its
    // sale of 0.8 at 110 brings 87.912, less one unit for rounding.
    const needed = d("90.15996") + d("2.268") + 1n;
    expect([laddered(needed) !== undefined, laddered(needed - 1n)]).toEqual([true, undefined]);
    // Fees of buys in base: 89.98 and 90, and a sale of all but what was sold.
    const inBase = { on: { buyFeeIn: "base" as const } };
    const sold = { slots: changed(1, { base: d("0.9"), sold: d("0.1") }), ...inBase };
    const less = d("89.98") + d("2.088") + 1n;
    expect([laddered(less, inBase) !== undefined, laddered(less - 1n, inBase)]).toEqual([true, undefined]);
    expect([laddered(less, sold) !== undefined, laddered(less - 1n, sold)]).toEqual([true, undefined]);
    // A sale that brings enough needs nothing more.
    const rich = { slots: changed(1, { base: d("0.9") }) };
    expect([laddered(d("90.15996"), rich) !== undefined, laddered(d("90.15996") - 1n, rich)]).toEqual([
      true,
      undefined,
    ]);
    const buying = { slots: SLOTS.filter(({ index }) => index === 0), busy: [0] };
    expect(laddered(0n, buying)).toBeDefined();
  });

  it.each<[string, Over]>([
    ["has passes at intervals", { rules: { tickInterval: 1000 } }],
    ["does not run", { grid: { status: "idle" } }],
    ["has an option that needs passes", { config: { maxPosition: d("0.5") } }],
    ["has a gap between its slots", { slots: changed(2, { lower: d("111") }) }],
    ["has a slot without an upper price", { slots: changed(2, { upper: ZERO }) }],
    ["has a partly filled buy", { slots: changed(0, { bought: d("0.1") }) }],
    ["sells above its level", { slots: changed(1, { sellAt: d("112") }) }],
    ["has no order below one", { busy: [1] }],
    ["has no order in a slot with base", { busy: [0] }],
    ["has an order in a waiting slot that is not the next", { busy: [0, 2] }],
    ["waits with base", { slots: changed(2, { base: d("0.001") }) }],
    ["waits with a bought part", { slots: changed(2, { bought: d("0.001") }) }],
    ["waits to sell at another price", { slots: changed(2, { sellAt: d("125") }) }],
    ["waits to try again", { slots: changed(2, { retryAt: 5 }) }],
    ["waits on the other side", { slots: changed(2, { side: "buy" }) }],
    [
      "buys above a sell",
      {
        slots: changed(0, { side: "sell" }).map((one) =>
          one.index === 1 ? { ...one, side: "buy" as const } : one,
        ),
      },
    ],
    ["has a spread wider than a slot", { rules: { spread: d("0.3") } }],
    ["loses money with a cycle", { on: { maker: d("0.06") } }],
    ["cannot sell what it bought", { on: { minAmount: d("0.9") } }],
    ["sells less than a minimum after a fee in base", { on: { buyFeeIn: "base", minAmount: d("0.818") } }],
    ["cannot buy for a minimum", { on: { minNotional: d("89.99") } }],
  ])("is none if it %s", (_what, over) => {
    expect(laddered(PLENTY, over)).toBeUndefined();
  });

  it("is one again without that", () => {
    // The sell at 100 fills from 111 on, a tick above the price at which the highest slot begins to buy.
    const spread = (share: string) => laddered(PLENTY, { rules: { spread: d(share) } })?.rungs.sells[0];
    expect([spread("0.19"), spread("0.2")]).toEqual([111, undefined]);
    expect(laddered(PLENTY, { config: { stopLossPrice: d("50") } })).toBeDefined();
    expect(laddered(PLENTY, { on: { minNotional: d("89.98") } })).toBeDefined();
    for (const on of [{ minAmount: d("0.818") }, { buyFeeIn: "base" as const, minAmount: d("0.817") }])
      expect(laddered(PLENTY, { on, slots: changed(1, { base: d("0.9") }) })).toBeDefined();
    expect(laddered(PLENTY, { busy: [0, 1, 2], slots: changed(2, { base: d("0.8") }) })).toBeDefined();
  });
});
