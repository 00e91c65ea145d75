import { describe, expect, it } from "vitest";
import { paper, quoteAt } from "../../../src/backtest/paper-account.ts";
import { backtest } from "../../../src/backtest/run/backtest.ts";
import { begin, checkGrid, type GridRequest } from "../../../src/backtest/run/begin.ts";
import { gridWakeOf, nearerReach, wakeOf, walk } from "../../../src/backtest/run/walk.ts";
import { RULES, ticksOf } from "../../../src/backtest/ticks.ts";
import { candlesOf } from "../../../src/candles/candles.ts";
import type { GridConfig } from "../../../src/grid/state/config.ts";
import type { GridState, GridStrategy, Slot } from "../../../src/grid/state/state.ts";
import { ZERO } from "../../../src/kernel/decimal.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { Order } from "../../../src/model/order.ts";
import type { RefusalReason } from "../../../src/model/strategy.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { order, strategy } from "../../support/made.ts";
import { book, executions, FROM, ONE_SLOT, overTape, print, MARKET as TAPED, taped } from "../taped.ts";

const START = Date.UTC(2026, 0, 1);
const MARKET = market({ tick: d("1"), lot: d("0.001"), maker: d("0.001"), taker: d("0.004") });
const REQUEST: GridRequest = {
  lowerPrice: d("90"),
  upperPrice: d("110"),
  gridLevels: 2,
  orderSize: d("90"),
  allowLoss: true,
};
type Bar = readonly [open: number, high: number, low: number, close: number];
const past = (rows: readonly Bar[]) =>
  candlesOf(
    { pair: "BTC/USDT", spanMillis: MINUTE },
    rows.map((row, i) => {
      const [open, high, low, close] = row.map(String) as [string, string, string, string];
      return { at: START + i * MINUTE, open, high, low, close, volume: 1 };
    }),
  );
const FLAT: Bar = [105, 105, 105, 105];
/** It buys in the second bar, and sells in the fourth. */
const SWING: readonly Bar[] = [FLAT, [105, 105, 99, 99], [99, 99, 99, 99], [99, 111, 99, 111], FLAT];
const BALANCES = [
  { asset: "USDT", free: d("1000"), used: d("50") },
  { asset: "BTC", free: 0n, used: 0n },
];

function walked(rows: readonly Bar[], how: object = {}, request: GridRequest = REQUEST, rules: object = {}) {
  // Stops ignore a spread of more than 2 %: where there is one, a tick is half as wide.
  const ticks = "stopAtOnce" in request ? 2 : 1;
  const on = { ...MARKET, tick: d("1") / BigInt(ticks) };
  const setup = {
    market: on,
    balances: BALANCES,
    quote: quoteAt(on, RULES, { at: START, ticks: 105 * ticks }),
  };
  const strategy = begin(checkGrid(request, setup), setup);
  const options = { market: on, rules: { ...RULES, ...rules }, balances: BALANCES, ...how };
  const run = walk(strategy, ticksOf(past(rows), on.tick), options);
  const passes = run.passes.map((at) => (at - START) / 1000);
  return {
    ...run,
    passes,
    fills: run.fills.newest(9).map(({ side, price }) => `${side} ${price / 10n ** 18n}`),
  };
}

describe("passes over bars", () => {
  it("are made at the start and after fills, where nothing else can change", () => {
    const { passes, fills, bars, balances } = walked(SWING);
    // The extremes come after 20 and 40 s of a minute.
    expect([passes, fills, bars]).toEqual([[0, 100, 220], ["buy 100", "sell 110"], 5]);
    // Each of two open buys of 90 locks the taker fee too.
    expect(balances).toEqual([
      { asset: "USDT", free: d("828.091"), used: d("230.72") },
      { asset: "BTC", free: 0n, used: 0n },
    ]);
  });

  it("are made at every price on request, and give the same", () => {
    const { passes, fills } = walked(SWING, { everyPass: true });
    // At the start, then at the other three prices of the first bar, and at all four of the others.
    expect([passes.length, passes.slice(0, 5), passes.at(-1)]).toEqual([
      20,
      [0, 20, 40, 59.999, 60],
      299.999,
    ]);
    expect(fills).toEqual(["buy 100", "sell 110"]);
  });

  it.each([
    // Neither price is on a tick of 1: rounded, the first would reach the buy at 100, and the second would not pass it.
    ["touch", 100.4, []],
    ["touch", 100, ["buy 100"]],
    ["cross", 100, []],
    ["cross", 99.6, ["buy 100"]],
  ] as const)("fill by %s at a low of %d only what that price itself reaches", (fill, low, filled) => {
    const bars: readonly Bar[] = [FLAT, [105, 105, low, low], [low, low, low, low]];
    for (const how of [{}, { everyPass: true }, { mayLeap: true }])
      expect(walked(bars, how, REQUEST, { fill }).fills).toEqual(filled);
  });

  it("are made at each interval, as far as they can change something", () => {
    const { passes, fills } = walked(SWING, {}, REQUEST, { tickInterval: 30_000 });
    expect([passes, fills]).toEqual([
      [0, 120, 240],
      ["buy 100", "sell 110"],
    ]);
    const every = walked(SWING, { everyPass: true }, REQUEST, { tickInterval: 30_000 });
    expect(every.passes).toEqual([0, 30, 60, 90, 120, 150, 180, 210, 240, 270]);
  });

  it("stop early on request, after at least one bar", () => {
    const asked: number[] = [];
    const isOver = (bars: number) => {
      asked.push(bars);
      return true;
    };
    expect([walked(SWING, { isOver, everyPass: true }).bars, asked]).toEqual([1, [1]]);
  });

  it.each([
    ["takeProfitPrice", 120, 119],
    ["stopLossPrice", 85, 86],
  ] as const)("are made at the very price of %s", (option, price, before) => {
    const stop = { ...REQUEST, [option]: d(String(price)), stopAtOnce: true } as GridRequest;
    const at = (reached: number): readonly Bar[] => [
      FLAT,
      FLAT,
      [105, Math.max(105, reached), Math.min(105, reached), 105],
      FLAT,
    ];
    for (const how of [{}, { mayLeap: true }]) {
      expect(walked(at(price), how, stop).account.strategy.status).toBe("stopped");
      expect(walked(at(before), how, stop).account.strategy.status).toBe("running");
    }
  });
});

describe("positions of a run", () => {
  it.each([{}, { mayLeap: true }, { everyPass: true }])(
    "begin with each bar that changed them: %j",
    (how) => {
      const { positions, engine } = walked(SWING, how);
      expect(engine).toBe("mayLeap" in how ? "jump" : "walk");
      expect([...positions.bars]).toEqual([0, 1, 3]);
      expect([...positions.cash].map((cash) => Number(cash.toFixed(9)))).toEqual([0, -90.09, 8.811]);
      expect([...positions.base]).toEqual([0, 0.9, 0]);
      expect(positions.ranges).toEqual([{ bar: 0, low: 90, high: 110, base: 0, cash: 0 }]);
    },
  );
});

it.each([{}, { mayLeap: true }])("a position is the one at the close of its bar: %j", (how) => {
  const rows: readonly Bar[] = [FLAT, [105, 111, 99, 105], FLAT];
  const { positions, fills } = walked(rows, how, REQUEST, { extremes: "low_first" });
  expect([fills, [...positions.bars], [...positions.base]]).toEqual([
    ["buy 100", "sell 110"],
    [0, 1],
    [0, 0],
  ]);
});

describe("a backtest", () => {
  it("has the balances of its account, also what was used before", () => {
    const { balances, run } = backtest(REQUEST, past(SWING), { market: MARKET, balances: BALANCES });
    expect(balances).toBe(BALANCES);
    expect(run.balances).toEqual([
      { asset: "USDT", free: d("1058.811"), used: 0n },
      { asset: "BTC", free: 0n, used: 0n },
    ]);
  });

  it("keeps the balances of other assets", () => {
    const euros = { asset: "EUR", free: d("7"), used: d("2") };
    for (const engine of ["walk", undefined] as const) {
      const options = { market: MARKET, balances: [...BALANCES, euros], ...(engine ? { engine } : {}) };
      const { run } = backtest(REQUEST, past(SWING), options);
      expect(run.engine).toBe(engine ?? "jump");
      const [of] = run.balances.filter(({ asset }) => asset === "EUR");
      expect((of?.free ?? 0n) + (of?.used ?? 0n)).toBe(d("9"));
    }
  });

  it("has quote for all of its slots where no balances are given", () => {
    const { balances } = backtest(REQUEST, past(SWING), { market: MARKET });
    expect(balances).toEqual([{ asset: "USDT", free: d("180.72"), used: 0n }]);
    const half = backtest({ ...REQUEST, maxPosition: d("0.5") }, past(SWING), { market: MARKET });
    expect(half.balances[0]?.free).toBe(d("361.44"));
    const reserve = backtest({ ...REQUEST, safetyReserve: d("0.75") }, past(SWING), { market: MARKET });
    expect(reserve.balances[0]?.free).toBe(d("722.88"));
  });

  it("needs candles above the tick", () => {
    const none = { ...past([FLAT]), times: new Float64Array() };
    expect(() => backtest(REQUEST, none, { market: MARKET })).toThrow("there are no candles in this period");
    const wide = { ...MARKET, tick: d("1000") };
    expect(() => backtest(REQUEST, past([FLAT]), { market: wide })).toThrow(
      "the candles' prices are below the tick of 1000",
    );
  });

  it("warns of ticks that are wide for its levels, if fills come on touch", () => {
    const codes = (fill: "touch" | "cross", tick: string) =>
      backtest(REQUEST, past(SWING), { market: { ...MARKET, tick: d(tick) }, rules: { fill } }).warnings.map(
        ({ code }) => code,
      );
    expect([codes("touch", "0.5"), codes("touch", "0.25"), codes("cross", "1")]).toEqual([
      ["touch", "few_cycles"],
      ["few_cycles"],
      ["few_cycles"],
    ]);
  });

  it("runs once, or once for each of six paths where it has a band", () => {
    const looksOf = (withBand?: boolean) => {
      let looks = 0;
      const isOver = () => ++looks < 0;
      const how = withBand === undefined ? {} : { withBand };
      const options = { market: MARKET, rules: { tickInterval: MINUTE }, isOver, ...how };
      return [backtest(REQUEST, past(SWING), options).band !== null, looks];
    };
    const [[, once], [isBand, six]] = [looksOf(), looksOf(true)] as [[boolean, number], [boolean, number]];
    expect([looksOf(), looksOf(false), isBand, six]).toEqual([[false, once], [false, once], true, 6 * once]);
    expect(once).toBeGreaterThan(0);
  });

  it("warns of coarse candles only if the order of their extremes decides", () => {
    const rows: readonly Bar[] = [FLAT, [105, 105, 99, 99], [111, 111, 111, 111], FLAT];
    const { warnings, band } = backtest(REQUEST, past(rows), { market: MARKET, withBand: true });
    expect(warnings.map(({ code }) => code)).toEqual(["few_cycles"]);
    expect(band).toEqual({ total: { least: d("8.811"), most: d("8.811") }, count: { least: 1, most: 1 } });
  });

  it("warns of fewer than thirty cycles", () => {
    const swings = (count: number) =>
      Array.from(
        { length: 2 * count },
        (_, i): Bar => (i % 2 === 0 ? [99, 99, 99, 99] : [111, 111, 111, 111]),
      );
    const codes = (count: number) =>
      backtest(REQUEST, past([FLAT, ...swings(count)]), { market: MARKET }).warnings.map(({ code }) => code);
    expect([codes(29), codes(30)]).toEqual([["few_cycles"], []]);
  });

  it("reports in which candle it ended", () => {
    const stop = { ...REQUEST, takeProfitPrice: d("120"), stopAtOnce: true } as GridRequest;
    const rows: readonly Bar[] = [FLAT, [105, 120, 99, 105], FLAT];
    const { warnings } = backtest(stop, past(rows), { market: MARKET });
    expect(warnings.at(-1)).toEqual({
      code: "ended",
      message: "the grid ended early: take_profit in candle 1 of 3",
    });
    const timed = { ...REQUEST, endsAt: FROM + 60_000 } as GridRequest;
    expect(backtest(timed, past(rows), { market: MARKET }).warnings.at(-1)?.message).toMatch(
      /^the grid ended early: its end time in candle/,
    );
  });
});

describe("passes over a tape", () => {
  const begin = print(0, 105, 1);
  const times = (over: ReturnType<typeof overTape>) => over.run.passes.map((at) => at - FROM);

  it("are made at the start and after prints that fill, and positions begin with their print", () => {
    const over = overTape([
      begin,
      print(1000, 104, 1),
      print(2000, 99, 5),
      print(3000, 101, 1),
      print(4000, 111, 5),
    ]);
    expect(executions(over)).toEqual(["2000 buy 1 at 100", "4000 sell 1 at 110"]);
    expect(times(over)).toEqual([0, 2000, 4000]);
    const { bars, cash, base } = over.run.positions;
    expect([[...bars], [...cash], [...base]]).toEqual([
      [0, 2, 4],
      [0, -100, 10],
      [0, 1, 0],
    ]);
    expect([over.run.bars, over.bars, over.missing]).toEqual([5, 5, 0]);
  });

  it("are made at each interval while something can change", () => {
    const events = [begin, print(2000, 99, 5), print(14_000, 111, 5), print(33_000, 105, 1)];
    const over = overTape(events, { rules: { tickInterval: 5000 } });
    expect(times(over)).toEqual([0, 5000, 15_000]);
    expect(executions(over)).toEqual(["2000 buy 1 at 100", "14000 sell 1 at 110"]);
  });

  it("see the book that came before them", () => {
    const over = overTape([
      book(-1, [[104, 1]], [[106, 1]]),
      begin,
      book(1000, [[97, 1]], [[98, 1]]),
      print(2000, 105, 1),
    ]);
    expect(over.run.passes.length).toBeGreaterThan(0);
    expect(executions(over)).toEqual([]);
  });

  it("end early on request", () => {
    const prints = Array.from({ length: 3000 }, (_, i) => print(i, 105, 1));
    const asked: number[] = [];
    const isOver = (count: number) => {
      asked.push(count);
      return count > 1500;
    };
    const { run, bars, band } = backtest(ONE_SLOT, taped(prints), { market: TAPED, isOver, withBand: true });
    expect([run.bars, bars, band, asked.length]).toEqual([2048, 3000, null, 2]);
  });
});

it("an account is independent of its copies", () => {
  const box = paper(MARKET, RULES, { balances: BALANCES, first: { at: 0, ticks: 105 } });
  const order = { clientId: "one", symbol: "BTC/USDT", side: "buy", type: "limit", price: d("100") } as const;
  box.place({ ...order, amount: d("1"), timeInForce: "post_only" });
  const copy = box.fork();
  expect([copy.moveTo({ at: 10, ticks: 99 }), box.takeFills(), box.openOrders().length]).toEqual([
    true,
    [],
    1,
  ]);
  expect([copy.takeFills().length, copy.takeFills(), copy.openOrders(), copy.reach()]).toEqual([
    1,
    [],
    [],
    { below: -Infinity, above: Infinity },
  ]);
  expect([box.reach().below, box.order("one")?.status, copy.order("one")?.status]).toEqual([
    99,
    "open",
    "filled",
  ]);
});

const STEPS = { tick: d("1"), step: d("1") };
const NEVER = { below: -Infinity, above: Infinity };
/** A slot that buys at 100, and one that sells at 120. */
const SLOTS = [
  slot({ index: 0, lower: d("100"), upper: d("110") }),
  slot({ index: 1, lower: d("110"), upper: d("120"), side: "sell", base: d("1") }),
];
const ORDERS = [
  order({ slot: 0, side: "buy", price: d("100") }),
  order({ slot: 1, side: "sell", price: d("120") }),
];

interface Over {
  readonly grid?: Partial<GridStrategy>;
  readonly config?: Partial<GridConfig>;
  readonly state?: Partial<GridState>;
  readonly slots?: readonly Slot[];
  readonly orders?: readonly Order[];
  readonly lastTicks?: number;
}
const made = ({ grid, config = {}, state: over, slots = SLOTS }: Over): GridStrategy =>
  ({ ...strategy({ state: state(slots, over) }), config, ...grid }) as GridStrategy;
const wake = (over: Over = {}) =>
  wakeOf({ strategy: made(over), orders: over.orders ?? ORDERS }, STEPS, over.lastTicks);
const changed = (index: number, over: Partial<Order>) =>
  ORDERS.map((one) => (one.slot === index ? { ...one, ...over } : one));

describe("prices at which a grid needs a pass", () => {
  it("are none while every order is in its place", () => {
    expect(wake()).toEqual(NEVER);
    for (const life of ["submitted", "partially_filled"] as const)
      expect(wake({ orders: changed(0, { state: life }) })).toEqual(NEVER);
    expect(wake({ grid: { phase: "placing" } })).toEqual(NEVER);
    expect(wake({ grid: { status: "stopped" }, orders: [] })).toEqual(NEVER);
  });

  it.each<[string, Over]>([
    ["the grid starts", { grid: { phase: "starting" } }],
    ["the grid is in error", { grid: { status: "error" } }],
    ["an exit is under way", { state: { exit: {} as never } }],
    ["levels are being moved", { state: { rebuild: {} as never } }],
    ["the grid follows the market", { state: { trail: { way: "up" } as never } }],
    ["base is being bought", { state: { firstBuy: {} as never } }],
    ["a price is being confirmed", { state: { signal: {} as never } }],
    ["the account's balance is unexplained", { state: { unexplained: {} as never } }],
    ["the grid is halted", { state: { halted: {} as never } }],
    ["its width depends on time", { config: { centered: { volatility: {} } as never } }],
    ["an option needs every pass", { config: { bound: {} as never } }],
    ["an order is at another price", { orders: changed(0, { price: d("99") }) }],
    ["a sell is at another price", { orders: changed(1, { price: d("119") }) }],
    ["an order is on another side", { orders: changed(0, { side: "sell", price: d("110") }) }],
    ["an order is of another generation", { orders: changed(0, { generation: 1 }) }],
    ["an order is of no slot", { orders: [...ORDERS, order({ slot: 7 })] }],
    ["an order may not exist", { orders: changed(0, { state: "unknown" }) }],
    ["an order is being sent", { orders: changed(0, { state: "pending" }) }],
    ["an order has ended", { orders: changed(0, { state: "filled" }) }],
    ["a slot has no order", { orders: ORDERS.slice(1) }],
  ])("are unknown if %s", (_what, over) => {
    expect(wake(over)).toBeUndefined();
  });

  it("include its stop prices, on their side", () => {
    const config = { stopLossPrice: d("90"), takeProfitPrice: d("130") };
    expect(wake({ config })).toEqual({ below: 91, above: 130 });
    expect(wake({ config: { stopLossPrice: d("90.5") } })).toEqual({ below: 91, above: Infinity });
    expect(gridWakeOf(made({ config }), STEPS)).toEqual({ below: 91, above: 130 });
  });

  it("are its trigger price alone while it waits, from where it was", () => {
    const idle = (startPrice: string, triggerPrice?: string) =>
      wake({
        grid: { status: "idle" },
        config: triggerPrice === undefined ? {} : { triggerPrice: d(triggerPrice), stopLossPrice: d("50") },
        state: { startPrice: d(startPrice) },
        orders: [],
      });
    expect(idle("100", "110")).toEqual({ below: -Infinity, above: 110 });
    expect(idle("100", "90")).toEqual({ below: 91, above: Infinity });
    expect(idle("100", "100")).toEqual({ below: 101, above: Infinity });
    expect(idle("100")).toEqual(NEVER);
  });
});

describe("a slot without an order that the account refuses", () => {
  const refused = (reason: RefusalReason, of: Partial<Slot>, over: Over = {}) =>
    wake({
      slots: [{ ...(SLOTS[0] as Slot), ...of }, SLOTS[1] as Slot],
      state: {
        refused: [
          { slot: 1, reason: "would_take" },
          { slot: 0, reason },
        ],
      },
      orders: ORDERS.slice(1),
      ...over,
    });

  it.each<RefusalReason>(["no_base", "below_minimum", "inventory_missing"])(
    "needs no pass while nothing fills: %s",
    (reason) => {
      expect(refused(reason, {})).toEqual(NEVER);
    },
  );

  it.each<RefusalReason>(["no_quote", "max_position", "safety_reserve"])(
    "needs one at a new low, where its buy costs less: %s",
    (reason) => {
      expect(refused(reason, {}, { lastTicks: 105 })).toEqual({ below: 100, above: Infinity });
      expect(refused(reason, {}, { lastTicks: 100 })).toEqual({ below: 99, above: Infinity });
      expect(refused(reason, {})).toEqual({ below: 100, above: Infinity });
      const sells = { side: "sell", base: d("1") } as const;
      expect(refused(reason, sells, { lastTicks: 105 })).toEqual(NEVER);
    },
  );

  it("needs one above its lower price if it has no base to sell", () => {
    expect(refused("no_base", { side: "sell" })).toEqual({ below: -Infinity, above: 100 });
    expect(refused("no_base", { side: "sell", base: d("0.1") })).toEqual(NEVER);
    expect(refused("no_base", { side: "sell", bought: d("0.1") })).toEqual(NEVER);
    expect(refused("no_base", { side: "sell", base: ZERO, lower: d("100.9") })?.above).toBe(100);
  });

  it("needs every pass if that may end by itself", () => {
    expect(refused("would_self_cross", {})).toBeUndefined();
    expect(refused("rejected", {})).toBeUndefined();
    expect(refused("no_quote", { retryAt: 5 })).toBeUndefined();
  });

  it("counts as one of several, of which the nearest price is the next", () => {
    const slots = [
      ...SLOTS,
      slot({ index: 2, lower: d("80"), upper: d("90") }),
      slot({ index: 3, lower: d("130"), upper: d("140"), side: "sell" }),
    ];
    const reasons = [
      { slot: 2, reason: "no_quote" as const },
      { slot: 3, reason: "no_base" as const },
    ];
    const config = { stopLossPrice: d("70"), takeProfitPrice: d("150") };
    expect(wake({ slots, state: { refused: reasons }, config })).toEqual({ below: 80, above: 130 });
  });
});

it("the nearer of two prices counts on each side", () => {
  expect(nearerReach({ below: 1, above: 9 }, { below: 2, above: 10 })).toEqual({ below: 2, above: 9 });
});
