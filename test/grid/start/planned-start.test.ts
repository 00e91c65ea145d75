import { describe, expect, it } from "vitest";
import { GridPlanShape } from "../../../src/grid/schema/plan.ts";
import { checkStart, type RequestedRange } from "../../../src/grid/start/check.ts";
import {
  beyondLimits,
  gridFacts,
  missingQuote,
  planStart,
  type StartInputs,
  startSums,
} from "../../../src/grid/start/planned-start.ts";
import { planAnswer, previewOfStart } from "../../../src/lifecycle/plan.ts";
import type { Limits } from "../../../src/model/limits.ts";
import { d, market } from "../../support/grid.ts";
import { bounds, quote } from "../../support/made.ts";

/** Without fees, at 90: 1 is bought at 60, 0.75 at 80, and 0.5 of the account's own are sold at 120. */
const REQUEST: RequestedRange = {
  lowerPrice: d("60"),
  upperPrice: d("120"),
  gridLevels: 3,
  orderSize: d("60"),
};
const balance = (asset: string, free: string, used = "0") => ({ asset, free: d(free), used: d(used) });
const INPUTS: StartInputs = {
  account: { exchange: "kraken", kind: "live" },
  market: market({ lot: d("0.001"), minAmount: d("0.001"), maker: 0n, taker: 0n }),
  quote: quote({ bid: d("89"), ask: d("91") }),
  balances: [balance("BTC", "1"), balance("USDT", "1000")],
  kept: { quote: 0n, base: 0n },
  killed: false,
};
const WEEK = { reason: "no line" };
const PLACE = { definition: "grid", exchange: "kraken" };

function planned(request: Partial<RequestedRange> = {}, over: Partial<StartInputs> = {}) {
  const setup = { ...INPUTS, ...over };
  const checked = checkStart({ ...REQUEST, ...request }, { ...setup, balances: undefined });
  return { setup, plan: planStart(checked, setup) };
}
function out(request: Partial<RequestedRange> = {}, over: Partial<StartInputs> = {}) {
  const { plan, setup } = planned(request, over);
  const { details, ...answer } = planAnswer(startSums(plan, setup), gridFacts(plan, setup, WEEK), PLACE);
  return { ...answer, details: GridPlanShape().parse(details) };
}
const ordersOf = (request: Partial<RequestedRange>, over: Partial<StartInputs> = {}) =>
  out(request, over).orders.map(({ side, price, amount }) => [side, price, amount]);
const refusedOf = (request: Partial<RequestedRange>, over: Partial<StartInputs> = {}) =>
  out(request, over).refused.map(({ id, reason }) => [Number(id), reason]);
const limited = (limits: Limits) => ({ bounds: bounds(limits) });
const BUY_80 = ["buy", "80", "0.75"];
const BUY_60 = ["buy", "60", "1"];
const SELL_120 = ["sell", "120", "0.5"];

describe("the plan of a start", () => {
  it("lists each order, their total cost and need, and the possible loss", () => {
    const result = out();
    expect(result).toMatchObject({
      definition: "grid",
      exchange: "kraken",
      symbol: "BTC/USDT",
      price: "90",
      triggerPrice: null,
      refused: [],
      sums: { buys: "120", atOnce: "0", sells: "60", base: "0.5" },
      uses: { quote: "180", base: "0.5" },
      free: { quote: "1000", base: "1" },
      losses: [
        { price: "60", loss: "39" },
        { price: "0", loss: "180" },
      ],
      planHash: expect.stringMatching(/^[0-9a-f]{32}-90$/),
      details: {
        spread: "2",
        setAside: { quote: "120", base: "0.5" },
        breakEvenSpacingPercent: 0,
        lastWeek: { message: expect.stringMatching(/no line$/) },
      },
    });
    expect(result.orders).toEqual([
      { id: "1", side: "buy", price: "80", amount: "0.75", crosses: false },
      { id: "0", side: "buy", price: "60", amount: "1", crosses: false },
      { id: "2", side: "sell", price: "120", amount: "0.5", crosses: false },
    ]);
    expect(
      result.details.slots.map(({ slot, lowerPrice, upperPrice, netPercent }) => [
        slot,
        lowerPrice,
        upperPrice,
        netPercent,
      ]),
    ).toEqual([
      [0, "60", "80", 33.3333],
      [1, "80", "100", 25],
      [2, "100", "120", 20],
    ]);
    expect(result.details.slots.map(({ netProfit }) => Math.round(Number(netProfit)))).toEqual([20, 15, 12]);
  });

  it("takes the account's base unless forbidden, and reports it unless explicitly allowed", () => {
    const codes = (useOwnBase?: boolean, over: Partial<StartInputs> = {}) =>
      out({ useOwnBase }, over).warnings.map(({ code, message }) => `${code}: ${message}`);
    expect(codes()).toEqual([
      "own_base_used: 0.5 BTC that you already own are used; set useOwnBase=false to prevent that",
    ]);
    expect(codes(true)).toEqual([]);
    expect(ordersOf({ useOwnBase: true })).toContainEqual(SELL_120);
    expect(ordersOf({ useOwnBase: false })).toEqual([BUY_80, BUY_60]);
    expect(refusedOf({ useOwnBase: false })).toEqual([[2, "no_base"]]);
    // What others still need is none of its own.
    const kept = { kept: { quote: 0n, base: d("0.6") } };
    expect(ordersOf({}, kept)).toEqual([BUY_80, BUY_60]);
    expect(codes(undefined, kept)).toEqual([]);
    expect(out({}, kept).free.base).toBe("0.4");
  });

  it("stays within shares of the capital: all quote, and the base it takes", () => {
    const half = { safetyReserve: d("0.5") };
    const buys = (...balances: StartInputs["balances"]) =>
      ordersOf(half, { balances }).filter(([side]) => side === "buy").length;
    // 120 of 240 in all.
    expect(buys(balance("USDT", "120", "120"))).toBe(2);
    expect(buys(balance("USDT", "120", "119"))).toBe(1);
    // With 0.5 at 90 the capital is 285, and 142.5 stay: one buy is left.
    expect(buys(balance("USDT", "240"))).toBe(2);
    expect(buys(balance("USDT", "240"), balance("BTC", "1"))).toBe(1);
  });

  it("has no orders if none can be placed or the price confidence is too low", () => {
    const all = (reason: string) => [0, 1, 2].map((slot) => [slot, reason]);
    expect(refusedOf({}, { killed: true })).toEqual(all("killed"));
    expect(refusedOf({ confidence: d("0.9") }, { confidence: d("0.8") })).toEqual(all("low_confidence"));
    expect(refusedOf({ confidence: d("0.9") }, { confidence: d("0.9") })).toEqual([]);
  });

  it("names the requested options, and no others", () => {
    expect(out().details.options).toEqual({});
    expect(out().triggerPrice).toBeNull();
    const options = {
      stopLossPrice: d("50"),
      takeProfitPrice: d("130"),
      triggerPrice: d("85"),
      trail: { up: d("140"), down: undefined },
      allowLoss: true,
      postOnly: false,
      maxPosition: d("0.5"),
    };
    expect(out(options).triggerPrice).toBe("85");
    expect(out(options).details.options).toEqual({
      trail: { up: "140" },
      allowLoss: true,
      postOnly: false,
      maxPosition: 0.5,
    });
  });

  it("warns of missing funds, after what others still need", () => {
    const codes = (over: Partial<StartInputs>) =>
      out({ useOwnBase: true }, over).warnings.map(({ code }) => code);
    const free = (quoteFree: string) => ({ balances: [balance("BTC", "1"), balance("USDT", quoteFree)] });
    expect(codes(free("120"))).toEqual([]);
    expect(codes(free("119.99"))).toEqual(["funds_missing"]);
    expect(out({ upperPrice: d("80"), lowerPrice: d("20") }).warnings.map(({ code }) => code)).toEqual([
      "market_outside",
    ]);
    const format = (kept: string) =>
      missingQuote(
        { needed: d("120"), free: d("50"), resting: { orders: 2, slots: 3 } },
        { market: INPUTS.market, kept: { quote: d(kept), base: 0n } },
      ).map(({ message }) => message);
    expect(format("0")).toEqual([
      "the buys need 120 USDT and 50 USDT are free: 2 of 3 orders are placed first",
    ]);
    expect(format("70")).toEqual([
      "the buys need 120 USDT and 50 USDT are free besides the 70 USDT that other strategies need: 2 of 3 orders are placed first",
    ]);
  });
});

describe("a start that buys the base of its sells at once", () => {
  const BUYS = { useOwnBase: false, initialBuy: true };

  it("places that buy first, as a limit just above the ask", () => {
    const { orders } = out(BUYS);
    expect(orders[0]).toEqual({
      id: "initial-buy",
      side: "buy",
      price: "91.91",
      amount: "0.5",
      crosses: true,
    });
    expect(orders.slice(1).map(({ id }) => id)).toEqual(["1", "0"]);
  });

  it("shows at least the cost of that buy as its maximum, at the buy's limit", () => {
    // 0.662, 0.659 and 0.655 at 91.91 cost more than three times 60.
    const { orders, uses, sums } = out({ ...BUYS, lowerPrice: d("90"), upperPrice: d("91.5") });
    expect(orders).toEqual([
      { id: "initial-buy", side: "buy", price: "91.91", amount: "1.976", crosses: true },
    ]);
    expect(sums.buys).toBe("181.61416");
    expect(d(uses.quote)).toBeGreaterThanOrEqual(d(sums.buys));
  });

  it("counts that buy toward the limits before the other orders", () => {
    // 45.955 of it, and 60 of the buy at 80, leave less than 60 of 165.
    expect(refusedOf(BUYS, limited({ dayNotional: { USDT: d("165") } }))).toEqual([
      [0, "limit_day"],
      [2, "no_base"],
    ]);
    expect(refusedOf(BUYS, limited({ dayNotional: { USDT: d("166") } }))).toEqual([[2, "no_base"]]);
  });

  it("counts that buy toward the shares of the capital", () => {
    const buys = (maxPosition: string) =>
      ordersOf({ ...BUYS, maxPosition: d(maxPosition) }, { balances: [balance("USDT", "1000")] }).length;
    // 45.955, 60 and 60.
    expect([buys("0.166"), buys("0.165"), buys("0.105")]).toEqual([3, 2, 1]);
  });
});

describe("a start beyond a limit", () => {
  const beyond = (request: Partial<RequestedRange>, over: Partial<StartInputs>) => {
    const { plan, setup } = planned(request, over);
    return beyondLimits(plan, setup)?.reason;
  };

  it("is a start with a first order beyond the limit", () => {
    expect(beyond({}, limited({ orderNotional: { USDT: d("60") } }))).toBeUndefined();
    expect(beyond({}, limited({ orderNotional: { USDT: d("59") } }))).toBe("limit_order");
    expect(beyond({}, limited({ openOrders: 2 }))).toBe("limit_open_orders");
    expect(beyond({}, {})).toBeUndefined();
  });

  it("excludes temporary conditions and refusals that are not due to a limit", () => {
    expect(beyond({}, limited({ orderGapMillis: 1000 }))).toBeUndefined();
    expect(refusedOf({}, limited({ orderGapMillis: 1000 })).map(([, reason]) => reason)).toEqual([
      "limit_gap",
      "limit_gap",
    ]);
    expect(beyond({}, { balances: [] })).toBeUndefined();
    expect(beyond({}, { killed: true })).toBeUndefined();
  });

  it("includes the buy of its base", () => {
    // All three slots sell: 1.5 or so are bought, and nothing else can be placed.
    const sells = { lowerPrice: d("120"), upperPrice: d("180"), useOwnBase: false, initialBuy: true };
    expect(refusedOf(sells, limited({ dayNotional: { USDT: d("50") } }))).toEqual(
      [0, 1, 2].map((slot) => [slot, "no_base"]),
    );
    expect(beyond(sells, limited({ dayNotional: { USDT: d("50") } }))).toBe("limit_day");
    expect(beyond(sells, limited({ dayNotional: { USDT: d("500") } }))).toBeUndefined();
    expect(beyond(sells, limited({ symbols: ["ETH/USDT"] }))).toBe("limit_symbol");
    expect(beyond(sells, limited({ symbols: ["BTC/USDT"] }))).toBeUndefined();
    expect(beyond(sells, {})).toBeUndefined();
    // It goes 2.1 % through the mid.
    expect(beyond(sells, limited({ collarPercent: d("1") }))).toBeUndefined();
  });
});

describe("the approval view of a start", () => {
  const shown = (request: Partial<RequestedRange> = {}, over: Partial<StartInputs> = {}, of: object = {}) => {
    const { plan, setup } = planned(request, over);
    const preview = previewOfStart(startSums(plan, setup), gridFacts(plan, setup, WEEK), { ...PLACE, ...of });
    return { ...preview, hash: plan.hash };
  };
  const OWN = { useOwnBase: true };
  const BREAK_EVEN = "break-even: unknown, because the last week's prices are unavailable: no line";

  it("shows what it places, costs and can lose", () => {
    const { hash, ...result } = shown();
    expect(result).toEqual({
      isPaper: false,
      what: "start a grid of 3 slots of 60 USDT from 60 to 120 USDT on BTC/USDT at kraken: 2 buys and 1 sell now, with the market at 90",
      cost: "120 USDT in buys, before fees, and 0.5 BTC that you already own in sells; it can use up to 180 USDT and 0.5 BTC",
      worstCase:
        "the price falls and does not recover: up to 180 USDT become BTC and lose value with it; 39 USDT at 60, 180 USDT if the price falls to 0",
      limits: [
        "minimum order: 5 USDT",
        "free balances: 1000 USDT, 1 BTC",
        BREAK_EVEN,
        "0.5 BTC that you already own are used; set useOwnBase=false to prevent that",
      ],
      holds: { planHash: hash },
    });
  });

  it("shows that it uses paper trading", () => {
    const result = shown({}, {}, { dryRun: true });
    expect(result.what).toMatch(
      /^start a grid of 3 slots of 60 USDT from 60 to 120 USDT on BTC\/USDT at kraken \(paper trading\): /,
    );
  });

  it("shows its limits, what it lacks, and which slots have no open order", () => {
    const shares = { ...OWN, maxPosition: d("0.5"), safetyReserve: d("0.12345") };
    expect(shown(shares).limits.slice(2)).toEqual([
      "at most 50 % of the capital in BTC",
      "12.35 % of the capital stay in USDT",
      BREAK_EVEN,
    ]);
    expect(shown(OWN, { balances: [] }).limits.slice(1)).toEqual([
      "free balances: 0 USDT, 0 BTC",
      BREAK_EVEN,
      "2 of 3 slots wait: there is not enough free quote; 1 of 3 slots waits: the price has to rise above 100 first, or buy the missing base at once",
      "the buys need 180 USDT and 0 USDT are free: 0 of 3 orders are placed first",
    ]);
    expect(shown(OWN, { kept: { quote: d("10"), base: 0n } }).limits.slice(2)).toEqual([
      "other strategies need 10 USDT of it",
      BREAK_EVEN,
    ]);
    expect(shown({ ...OWN, lowerPrice: d("20"), upperPrice: d("80") }).limits.slice(2)).toEqual([
      BREAK_EVEN,
      "the market is at 90, outside the grid: it waits on one side until the price returns",
    ]);
    expect(shown(OWN, { killed: true }).limits.at(-1)).toBe(
      "the kill switch is on: the start would be refused",
    );
  });
});
