import { describe, expect, it } from "vitest";
import { gridKind } from "../../../src/grid/kind.ts";
import { boundRoom, firstBuy, firstBuyOf } from "../../../src/grid/plan/first-buy.ts";
import { nextOrders } from "../../../src/grid/plan/next-orders.ts";
import {
  FIRST_BUY_SLOT,
  type GridConfig,
  type GridState,
  type GridStrategy,
  NO_LEDGER,
} from "../../../src/grid/state/state.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { NOW, observedMarket, order, quote, strategy, turn } from "../../support/made.ts";

/** Its selling slot wants 1; the ask is 100, so that the buy takes up to 101, with a fee of a tenth. */
const MARKET = market({ lot: d("0.001"), minAmount: d("0.001"), maker: d("0.1"), taker: d("0.1") });
const QUOTE = quote({ bid: d("99"), ask: d("100") });
const SELLS = slot({ lower: d("105"), upper: d("110"), size: d("110"), side: "sell" });
const grid = (of: Partial<GridState> = {}) =>
  strategy({
    config: { orderSize: d("110") } as GridConfig,
    state: state([SELLS], { firstBuy: { tries: 0 }, ...of }),
  }) as GridStrategy;
const buy = (
  over: object = {},
  of: Partial<GridState> = {},
  live = [] as ReturnType<typeof order>[],
  on = MARKET,
) =>
  firstBuy(grid(of), live, {
    ...turn({ observed: observedMarket({ market: on, quote: QUOTE }), ...over }),
    isRecovering: false,
    ...over,
  } as never);
const resting = (side: "buy" | "sell", price: string) => ({ side, price: d(price), type: "limit" as const });

describe("the buy of missing base", () => {
  it("is placed once, and leaves less to the slots", () => {
    const bought = buy({ funds: { USDT: d("111.1") } });
    expect(bought.intents).toMatchObject([{ side: "buy", price: d("101"), amount: d("1") }]);
    expect(bought).toMatchObject({ funds: { USDT: 0n }, problem: null, state: { firstBuy: { tries: 0 } } });
    expect(buy({ limit: 1 }).intents).toHaveLength(1);
    expect(buy({}, { firstBuy: null }).intents).toEqual([]);
    expect(buy({}, {}, [order({ slot: FIRST_BUY_SLOT })]).intents).toEqual([]);
  });

  it("is reduced by base that no slot holds, and increased by a fee in base", () => {
    const of = (over: Partial<GridState>, on = MARKET) => buy({}, over, [], on).intents[0]?.amount;
    expect(of({ idle: [{ base: d("0.25"), cost: d("25"), first: false }] })).toBe(d("0.75"));
    // A whole and a ninth of it, in lots.
    expect(of({}, { ...MARKET, buyFeeIn: "base" })).toBe(d("1.112"));
    expect(of({}, { ...MARKET, taker: d("0.5"), buyFeeIn: "unknown" })).toBe(d("2"));
  });

  it("counts a try when its order ends, unless the order did not leave", () => {
    const before = grid().state;
    const ended = (over: object) => gridKind.bookEnd(before, order({ slot: FIRST_BUY_SLOT, ...over }));
    for (const over of [
      { state: "canceled" },
      { state: "rejected", reason: "too small" },
      { state: "rejected", reason: "the exchange shows no such order" },
    ])
      expect(ended(over).firstBuy).toEqual({ tries: 1 });
    expect(ended({ state: "rejected", reason: "not sent" })).toBe(before);
    expect(ended({ state: "canceled", slot: 0 })).toBe(before);
    expect(gridKind.bookEnd({ ...before, firstBuy: null }, order({ slot: FIRST_BUY_SLOT })).firstBuy).toBe(
      null,
    );
  });

  it("ends if no base is missing or no funds are available", () => {
    for (const over of [
      buy({ funds: { USDT: d("111.09") } }),
      buy({ funds: {} }),
      buy({}, { slots: [{ ...SELLS, base: d("1") }] }),
      buy({}, { firstBuy: { tries: 5 } }),
    ]) {
      expect(over).toMatchObject({ intents: [], problem: null, state: { firstBuy: null } });
    }
  });

  it("waits while an unconfirmed order could have used the funds", () => {
    const doubted = (asset: string) => buy({ funds: { USDT: d("111.09") }, doubted: new Set([asset]) });
    expect(doubted("USDT")).toMatchObject({
      intents: [],
      problem: "the base is not bought yet: an unconfirmed order could have used the funds",
      state: { firstBuy: { tries: 0 } },
    });
    expect(doubted("BTC").state.firstBuy).toBeNull();
  });

  it("leaves the reserve untouched and stays within the capital limit", () => {
    const capital = { whole: d("200"), quote: d("200"), position: d("0"), openBuys: d("20") };
    const of = (config: object) =>
      firstBuy({ ...grid(), config: { ...grid().config, ...config } } as GridStrategy, [], {
        ...turn({ observed: observedMarket({ market: MARKET, quote: QUOTE }), capital }),
        isRecovering: false,
      } as never);
    // One costs 111.1 with its fee: of 200 in all 120 are to stay, and 20 are spoken for.
    expect(of({ safetyReserve: d("0.6") }).intents).toMatchObject([{ amount: d("0.54") }]);
    expect(of({ maxPosition: d("0.1") }).intents).toMatchObject([{ amount: d("0.18") }]);
    expect(of({ safetyReserve: d("0.6") }).capital).toMatchObject({
      position: d("59.994"),
      openBuys: d("79.994"),
    });
    for (const config of [{ safetyReserve: d("0.9") }, { safetyReserve: d("1") }, { maxPosition: d("0") }])
      expect(of(config)).toMatchObject({ intents: [], state: { firstBuy: null } });
  });

  it("waits while no order can be placed", () => {
    const waits = { intents: [], problem: null, state: { firstBuy: { tries: 0 } } };
    for (const over of [{ killed: true }, { isRecovering: true }, { funds: undefined }, { limit: 0 }])
      expect(buy(over)).toMatchObject(waits);
    expect(buy({}, { halted: "it has lost too much" } as never)).toMatchObject(waits);
    expect(buy({}, {}, [], { ...MARKET, active: false })).toMatchObject(waits);
    expect(buy({ observed: observedMarket({ market: undefined, quote: QUOTE }) })).toMatchObject(waits);
    expect(buy({ observed: observedMarket({ market: MARKET, quote: undefined }) })).toMatchObject(waits);
  });

  it("pays no more than the plan said in a book whose price is not reliable", () => {
    const at = (bid: string, ask: string, of: Partial<GridState> = {}) => {
      const firstBuy = { tries: 0, ask: d("100") };
      const observed = observedMarket({ market: MARKET, quote: quote({ bid: d(bid), ask: d(ask) }) });
      return buy({ observed }, { firstBuy, ...of });
    };
    expect(at("99", "102")).toMatchObject({
      intents: [],
      problem:
        "the base is not bought yet: the spread is wider than 2 %, and the best ask is above 100, that of the plan; it waits for a narrower spread or a lower ask. To buy at this ask, stop the grid and start it again",
      state: { firstBuy: { tries: 0, ask: d("100") } },
    });
    // It waits as well while the funds do not suffice at that price.
    expect(at("99", "500").state.firstBuy).not.toBeNull();
    // A book as wide as in the plan, a price that has risen, and a strategy of an older version.
    expect(at("90", "100").intents).toMatchObject([{ price: d("101") }]);
    expect(at("119", "120").intents).toMatchObject([{ price: d("121.2") }]);
    expect(at("99", "102", { firstBuy: { tries: 0 } }).intents).toMatchObject([{ price: d("103.02") }]);
    expect(at("99", "102", { slots: [{ ...SELLS, base: d("1") }] })).toMatchObject({
      problem: null,
      state: { firstBuy: null },
    });
  });

  it("is priced below a sell of the account, and waits if that sell is at the ask", () => {
    const others = [resting("buy", "50"), resting("sell", "100.6"), resting("sell", "100.5")];
    expect(buy({ resting: others }).intents[0]?.price).toBe(d("100.49"));
    const inWay = buy({ resting: [resting("sell", "100")] });
    expect(inWay.intents).toEqual([]);
    expect(inWay.problem).toContain("an order of this account sells at the ask");
    expect(buy({ resting: [resting("buy", "100")] }).intents).toHaveLength(1);
  });
});

const bounded = (spent: string, over: object = {}) =>
  strategy({
    config: { bound: { base: 0n, spent: d(spent) } } as GridConfig,
    state: state([slot()], over),
  }) as GridStrategy;

describe("the amount that a grid's bound leaves for buys", () => {
  it("is reduced by what its fills have spent and its open buys can spend, before fees", () => {
    const ledger = { ...NO_LEDGER, quote: d("-100.1"), fees: { USDT: d("0.1") } };
    const buys = [order({ amount: d("2"), booked: d("1"), price: d("100") }), order({ side: "sell" })];
    expect(boundRoom(bounded("500", { ledger }), buys)).toBe(d("300"));
    expect(boundRoom(bounded("150", { ledger }), buys)).toBe(0n);
  });

  it("is undefined for a grid without a bound", () => {
    expect(boundRoom(strategy({ config: {} as GridConfig }) as GridStrategy, [])).toBeUndefined();
  });

  it("blocks a buy beyond it, but no sell", () => {
    const slots = [
      slot(),
      slot({ index: 1, lower: d("90"), upper: d("100") }),
      slot({ index: 2, side: "sell", base: d("1"), cost: d("100") }),
    ];
    const { intents, next } = nextOrders(state(slots), {
      market: market(),
      quote: quote(),
      now: NOW,
      busy: new Set(),
      resting: [],
      funds: undefined,
      killed: false,
      isRecovering: false,
      limit: 9,
      config: {},
      room: d("150"),
    });
    expect(intents.map(({ slot: index, side }) => [index, side])).toEqual([
      [0, "buy"],
      [2, "sell"],
    ]);
    expect(next.refused).toEqual([
      {
        slot: 1,
        reason: "limit_exposure",
        detail: "a limit allows this grid to buy for 50 more, and this order needs 99.9999",
      },
    ]);
  });

  it("makes a first buy smaller", () => {
    const bare = state([slot({ side: "sell", lower: d("105"), size: d("110") })], { firstBuy: { tries: 0 } });
    const around = { market: market(), quote: quote({ bid: d("99"), ask: d("100") }), capital: undefined };
    const amount = (room?: bigint) => firstBuyOf(bare, {} as GridConfig, { ...around, room })?.intent.amount;
    expect(amount()).toBe(d("1"));
    expect(amount(d("50.5"))).toBe(d("0.5"));
  });
});
