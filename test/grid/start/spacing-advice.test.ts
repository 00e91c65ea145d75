import { describe, expect, it } from "vitest";
import { adviceOnCentered, adviceOnRange, checkCentered, checkStart } from "../../../src/grid/start/check.ts";
import type { CenteredConfig, GridConfig } from "../../../src/grid/state/config.ts";
import { AROUND, d, market } from "../../support/grid.ts";
import { quote } from "../../support/made.ts";

/** A cycle costs about 0.2 %. The market is at 105. */
const MARKET = market({ minNotional: d("1"), tick: d("0.0001") });
const INPUTS = { market: MARKET, quote: quote(), balances: undefined };
const RANGE = { lowerPrice: d("100"), upperPrice: d("110"), gridLevels: 100, orderSize: d("50") };
const range = (over: Partial<GridConfig>) => ({ ...RANGE, gridSpacing: 0n, ...over }) as GridConfig;

const numberIn = (advice: string): string => /[\d.]*\d/.exec(advice)?.[0] ?? "";

describe("the advice on a range whose cycles lose", () => {
  const pays = (over: object) => {
    const request = { ...RANGE, ...over, allowLoss: false };
    return () => checkStart(request, INPUTS);
  };

  it("names the maximum number of levels that is profitable, and one more is not", () => {
    const advice = adviceOnRange(range({}), MARKET);
    expect(advice).toMatch(/^use at most \d+ levels or a wider range$/);
    const most = Number(numberIn(advice));
    expect(pays({ gridLevels: most })).not.toThrow();
    expect(pays({ gridLevels: most + 1 })).toThrow("every cycle loses");
  });

  it("recommends a wider range if even two levels, the minimum, are not profitable", () => {
    const advice = (upperPrice: string, gridLevels: number) =>
      adviceOnRange(range({ upperPrice: d(upperPrice), gridLevels }), MARKET);
    expect(advice("100.1", 4)).toBe("use a wider range");
    // One level alone would pay.
    expect(advice("100.3", 2)).toBe("use a wider range");
    expect(advice("100.3", 4)).toBe("use a wider range");
    expect(advice("100.42", 4)).toBe("use at most 2 levels or a wider range");
  });

  it("names the minimum profitable spacing, if one was given", () => {
    const narrow = { gridSpacing: d("0.05"), isSpaced: true, gridLevels: 10 };
    const advice = adviceOnRange(range(narrow), MARKET);
    expect(advice).toMatch(/^use a spacing of at least [\d.]+ USDT$/);
    const least = d(numberIn(advice));
    expect(pays({ gridLevels: 10, gridSpacing: least })).not.toThrow();
    expect(pays({ gridLevels: 10, gridSpacing: (least * 99n) / 100n })).toThrow("every cycle loses");
  });

  it("recommends fewer levels if no spacing is profitable", () => {
    // The last two of a hundred levels come no nearer to 1 % apart, and fees take more.
    const dear = { ...MARKET, maker: d("0.01") };
    const narrow = range({ gridSpacing: d("0.05"), isSpaced: true });
    expect(adviceOnRange(narrow, dear)).toBe("use fewer levels");
    expect(adviceOnRange({ ...narrow, gridLevels: 10 }, dear)).toContain("a spacing of at least");
  });
});

describe("the advice on a grid around the market whose cycles lose", () => {
  const CENTERED = { ...AROUND, levels: 3, spacing: d("0.0005"), debounce: 0 };
  const advice = (over: Partial<CenteredConfig> = {}, on = MARKET) =>
    adviceOnCentered({ orderSize: d("50"), centered: { ...CENTERED, ...over } }, d("105"), on);
  const pays = (spacing: bigint) => () =>
    checkCentered({ orderSize: d("50"), allowLoss: false, centered: { ...CENTERED, spacing } }, INPUTS);

  it("names the minimum profitable spacing for a grid around the market", () => {
    expect(advice()).toMatch(/^use a spacing of at least 0\.\d+$/);
    const least = d(numberIn(advice()));
    expect(pays(least)).not.toThrow();
    expect(pays((least * 99n) / 100n)).toThrow("every cycle loses");
  });

  it("names no spacing if a spacing was given for each level", () => {
    expect(advice({ spacingModel: "custom", customSpacings: [d("0.001")] })).toBe("use wider customSpacings");
  });

  it("names a spacing even if its levels are too far away", () => {
    // Fees of a half: nothing that fits pays, and what does not fit is refused by its own name.
    const dear = { ...MARKET, maker: d("0.5"), taker: d("0.5") };
    expect(advice({}, dear)).toMatch(/^use a spacing of at least 0\.\d+$/);
    expect(d(numberIn(advice({}, dear))) * 3n).toBeGreaterThanOrEqual(d("0.95"));
  });
});
