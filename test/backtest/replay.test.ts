import { describe, expect, it } from "vitest";
import { CALCULATIONS, type ReplayJob } from "../../src/backtest/operations/calculations.ts";
import { finish } from "../../src/backtest/run/begin.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import type { CalculationThread } from "../../src/ports/heavy.ts";
import type { Driven } from "../support/driven.ts";
import { runOperation, START } from "../support/sandbox.ts";
import { SWUNG, swung } from "../support/swings.ts";

interface Replay {
  readonly matchPercent: number;
  readonly text: string;
  readonly executed: { readonly same: number; readonly record: number; readonly candles: number };
  readonly causes: readonly { readonly cause: string; readonly count: number; readonly text: string }[];
  readonly differences: readonly {
    readonly cause: string;
    readonly slot: number;
    readonly side: string;
    readonly where: string;
    readonly text: string;
  }[];
  readonly record: Figures;
  readonly candles: Figures;
  readonly set: (Figures & { readonly bars: number }) | null;
  readonly bars: number;
  readonly isWhole: boolean;
}

interface Figures {
  readonly total: string;
  readonly realized: string;
  readonly cycles: number;
}

interface Compared extends Figures {
  readonly config: object;
  readonly bars: number;
  readonly isWhole: boolean;
  readonly details: { readonly replay: Omit<Replay, "candles" | "bars" | "isWhole"> };
}

/** Returns the comparison beside the figures of the backtest, in the form of those of the record. */
const replayOf = ({ details, bars, isWhole, ...body }: Compared): Replay & { readonly config: object } => {
  const { replay } = details;
  const figures = Object.keys(replay.record).map((name) => [name, body[name as keyof Figures]]);
  return { ...body, ...replay, bars, isWhole, candles: Object.fromEntries(figures) as Figures };
};

/** A grid over the swings, and what a replay of it answers. */
async function ran(how: Parameters<typeof swung>[0]) {
  const { app, id } = await swung(how);
  const replayed = async (config: object = {}) => {
    const { status, body } = await app.call<Compared>("POST", "/backtest", { strategy: id, config });
    expect([status, body]).toEqual([200, expect.anything()]);
    return replayOf(body);
  };
  return { app, id, replayed };
}

let shared: ReturnType<typeof ran> | undefined;
/** A grid that nothing interfered with; it is the same one for all tests, and still runs. */
const undisturbed = () => {
  shared ??= ran({ minutes: 130 });
  return shared;
};

/** Its answer where the calculation is told after so many bars whether its time is over. */
const replayedUntil = async (
  { deps }: Driven,
  request: { readonly strategy: string; readonly config?: object },
  isOver: (bars: number) => boolean,
) => {
  const calculationThread: CalculationThread = async (_name, job) =>
    finish(CALCULATIONS.replay(job as ReplayJob, isOver as () => boolean));
  const input = { timeframe: "1m", fills: 100, config: {}, ...request };
  return replayOf((await runOperation({ ...deps, calculationThread }, "backtest", input)) as Compared);
};

const causesOf = ({ causes }: Replay) => causes.map(({ count, cause }) => `${count} ${cause}`);

describe("a replay of the service's record", () => {
  it("matches the candles order by order, to the last unit, where nothing interfered", async () => {
    const { replayed, app, id } = await ran({ minutes: 130 });
    const body = await replayed();
    expect([body.text, body.differences]).toEqual(["match 100 %", []]);
    expect(body.executed.same).toBeGreaterThan(15);
    expect(body.executed).toEqual({
      same: body.executed.same,
      record: body.executed.same,
      candles: body.executed.same,
    });
    expect(body.candles).toEqual(body.record);
    expect(body.record.cycles).toBeGreaterThan(5);
    await app.stop(id);
    const stopped = await replayed();
    expect([stopped.text, stopped.candles]).toEqual(["match 100 %", stopped.record]);
  });

  it("names a partially filled order", async () => {
    const { replayed, app } = await ran({ minutes: 130, parts: true });
    const body = await replayed();
    const fills = await app.store.fillsOf((await app.onlyGrid()) as string, { limit: 1000 });
    const orders = fills.map(({ clientId }) => clientId);
    const inParts = new Set(orders.filter((one, i) => orders.indexOf(one) !== i)).size;
    expect(inParts).toBeGreaterThan(0);
    expect(causesOf(body)).toEqual([`${inParts} parts`]);
    expect(body.executed.same).toBe(body.executed.record - inParts);
    expect(body.text).toContain(`${inParts} fill${inParts === 1 ? "" : "s"} filled in parts`);
    expect(body.candles.realized).toBe(body.record.realized);
  });

  it("names slots without an order for lack of quote", async () => {
    const { replayed } = await ran({ minutes: 130, quote: decimal("450") });
    const body = await replayed();
    const slots = new Set(body.differences.map(({ slot }) => slot));
    expect(slots.size).toBeGreaterThan(0);
    expect(causesOf(body)).toEqual([`${slots.size} refused`]);
    expect(body.text).toMatch(/^match \d+(\.\d+)? %: \d slots? refused for lack of quote$/);
    expect(Number(body.record.realized)).toBeLessThan(Number(body.candles.realized));
  });

  it("names the late pass once, with all of its effects", async () => {
    const { replayed } = await ran({ minutes: 130, asleep: [58, 103] });
    const body = await replayed();
    expect(causesOf(body)).toEqual(["1 late_pass"]);
    expect(body.differences.length).toBeGreaterThan(1);
    expect(body.text).toMatch(/^match \d+(\.\d+)? %: 1 pass late$/);
    expect(body.differences[0]?.text).toMatch(/no pass for \d+ min/);
    expect(Number(body.record.realized)).toBeLessThan(Number(body.candles.realized));
  });

  it("names the layouts of a grid that was centered at another price, and nothing else for them", async () => {
    const centered = { levels: 3, spacing: 0.01, size: 200, deviation: 0.002, debounce: 60_000 };
    // A pass a minute sees the market leave the grid later than the candles do.
    const { replayed } = await ran({ minutes: 130, centered });
    const body = await replayed();
    expect(body.differences.length).toBeGreaterThan(10);
    expect(causesOf(body)).toEqual([expect.stringMatching(/^\d+ centered$/)]);
    expect(body.text).toMatch(/^match \d+(\.\d+)? %: \d+ layouts centered at another price$/);
    expect(body.differences[0]?.text).toBe("the grid was centered at another price then");
    const still = await ran({ minutes: 130, centered: { ...centered, deviation: 0.5 }, asleep: [58, 103] });
    expect(causesOf(await still.replayed())).toEqual(["1 late_pass"]);
  });

  it("pauses repeatedly, so that the same process can run ticks and respond meanwhile", async () => {
    const { app, id } = await swung({ minutes: 20 });
    const request = { strategy: id, timeframe: "1m", fills: 100, config: { orderSize: 80 } };
    let [now, rests] = [0, 0];
    // Each look at this clock is longer than a slice.
    const local = {
      ...app.deps.local,
      monotonic: () => (now += 17),
      sleep: async () => void rests++,
    };
    await runOperation({ ...app.deps, local }, "backtest", request);
    expect(rests).toBeGreaterThan(5);
  });

  it("compares up to the bar at which its time is over, and nothing after it", async () => {
    const { app, id } = await undisturbed();
    const whole = await replayedUntil(app, { strategy: id }, () => false);
    for (const last of [20, 60, 95]) {
      const body = await replayedUntil(app, { strategy: id }, (bars) => bars >= last);
      expect([body.isWhole, body.differences]).toEqual([false, []]);
      expect(body.text).toBe(`match 100 % of the first ${body.bars} of ${whole.bars} candles`);
      expect(body.executed.record).toBe(body.executed.same);
      expect(body.executed.same).toBeLessThan(whole.executed.same);
      expect(body.record).toEqual(whole.record);
    }
  });

  it("is incomplete when the run with other options is, and gives both the same time", async () => {
    const { app, id } = await undisturbed();
    let [looks, most] = [0, Number.POSITIVE_INFINITY];
    const isOver = () => ++looks > most;
    const alone = await replayedUntil(app, { strategy: id }, isOver);
    expect(alone.isWhole).toBe(true);
    [looks, most] = [0, 1.5 * looks];
    const body = await replayedUntil(app, { strategy: id, config: { orderSize: 210 } }, isOver);
    expect(body.isWhole).toBe(false);
    expect(body.bars).toBeLessThan(alone.bars);
    expect(body.set?.bars).toBeLessThan(alone.bars);
    expect(Math.abs((body.set?.bars ?? 0) - body.bars)).toBeLessThan(10);
  });

  it("reports the result of other options as a backtest does, and rejects unknown options", async () => {
    const { app, id, replayed } = await undisturbed();
    const body = await replayed({ orderSize: 400, gridLevels: 12 });
    expect(body).toMatchObject({ exchange: SWUNG.exchange, symbol: SWUNG.symbol });
    expect(body.config).toEqual({ orderSize: 400, gridLevels: 12 });
    expect(Number(body.set?.realized)).toBeGreaterThan(1.5 * Number(body.record.realized));
    expect(body.text).toBe("match 100 %");
    const time = { since: START, until: START + 130 * MINUTE, fill: "touch", timeframe: "1m" };
    const backtest = async (request: object) =>
      (await app.call<Figures & { message: string }>("POST", "/backtest", { ...time, ...request })).body;
    const { useOwnBase: _, exchange, symbol, ...range } = SWUNG;
    const from = await backtest({ from: id });
    const named = { ...range, useOwnBase: false };
    // The answer repeats the config of its request.
    expect({ ...from, config: named }).toEqual(await backtest({ exchange, symbol, config: named }));
    expect(from.realized).toBe(body.record.realized);
    expect((await backtest({ from: id, config: { orderSize: 400, gridLevels: 12 } })).realized).toBe(
      body.set?.realized,
    );
    expect(await backtest({ from: id, config: { lowerPrice: 64_000 } })).toMatchObject({
      error: "Invalid range",
    });
    expect(await backtest({ exchange, symbol })).toMatchObject({ error: "Invalid range" });
    expect(await backtest({ from: "grid-kraken-BTC-USDT-1" })).toMatchObject({ error: "Not found" });
    const refusalOf = async (config: object, over: object = {}) => {
      const { status, body: result } = await app.call("POST", "/backtest", { strategy: id, config, ...over });
      return [status, result];
    };
    expect(await refusalOf({ spread: 1 })).toEqual([
      400,
      expect.objectContaining({
        message: expect.stringContaining("spread is not a setting of a grid between two prices"),
      }),
    ]);
    expect(await refusalOf({ lowerPrice: 64_000 })).toEqual([
      400,
      expect.objectContaining({ error: "Invalid range" }),
    ]);
    expect(await refusalOf({ orderSize: "high" })).toEqual([
      400,
      expect.objectContaining({ error: "Invalid order size" }),
    ]);
    for (const [field, value] of Object.entries({
      exchange,
      symbol,
      from: id,
      since: START,
      until: START + 1,
    }))
      expect(await refusalOf({}, { [field]: value })).toEqual([
        400,
        expect.objectContaining({ message: `${field} is not used with strategy, which has its own` }),
      ]);
    expect(await refusalOf({}, { timeframe: "trades" })).toEqual([
      400,
      expect.objectContaining({ message: expect.stringContaining("a replay needs candles") }),
    ]);
    expect((await refusalOf({}, { strategy: "grid-kraken-BTC-USDT-1" }))[0]).toBe(404);
  });
});
