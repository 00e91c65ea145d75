import { describe, expect, it } from "vitest";
import {
  type CenteredRequest,
  checkCentered,
  checkStart,
  type RequestedRange,
} from "../../src/grid/start/check.ts";
import { decimal, mul, ONE } from "../../src/kernel/decimal.ts";
import { AppError } from "../../src/kernel/errors.ts";
import { d, market } from "../support/grid.ts";

const quote = { bid: d("60000"), ask: d("60000"), at: 0, symbol: "BTC/USDT" } as const;
const CENTERED: CenteredRequest["centered"] = {
  levels: 5,
  spacing: d("0.01"),
  spacingModel: "linear",
  spacingFactor: ONE,
  sizeModel: "pyramidal",
  deviation: d("0.05"),
  deviationFrom: "edge",
  debounce: 0,
};

const refused = (act: () => unknown): string => {
  try {
    act();
    return "";
  } catch (error) {
    if (error instanceof AppError) return `${error.label}: ${error.message}`;
    throw error;
  }
};
const format = (message: string) => decimal(/at least ([\d.]+) /.exec(message)?.[1] as string);
const ALMOST = d("0.998");

describe("the minimum size in an error", () => {
  const sizes = ["flat", "pyramidal", "custom"] as const;
  it.each(sizes)("is enough for every slot with %s sizes, and slightly less is not", (sizeModel) => {
    const sizeWeights = sizeModel === "custom" ? ["1", "0.2", "3", "1", "1"].map(d) : undefined;
    const centered = { ...CENTERED, sizeModel, sizeWeights };
    const at = (orderSize: bigint) =>
      refused(() => checkCentered({ orderSize, centered }, { market: market(), quote, balances: undefined }));
    const message = at(d("0.5"));
    expect(message).toMatch(/^Invalid order size: size must be at least [\d.]+ USDT here/);
    expect(at(format(message))).toBe("");
    expect(at(mul(format(message), ALMOST, "down"))).toMatch(/^Invalid order size/);
  });

  it("is as exact when the quote is a coin worth 60,000", () => {
    const request: RequestedRange = {
      lowerPrice: d("0.03"),
      upperPrice: d("0.04"),
      gridLevels: 5,
      orderSize: d("0.000001"),
    };
    const setup = {
      market: market({
        symbol: "ETH/BTC",
        base: "ETH",
        quote: "BTC",
        tick: d("0.000001"),
        minNotional: d("0.00005"),
      }),
      quote: { ...quote, bid: d("0.035"), ask: d("0.035") },
      balances: undefined,
    };
    const at = (orderSize: bigint) => refused(() => checkStart({ ...request, orderSize }, setup));
    const message = at(request.orderSize);
    expect(message).toMatch(/^Invalid order size: orderSize must be at least 0\.0000\d+ BTC here/);
    expect(at(format(message))).toBe("");
    expect(at(mul(format(message), ALMOST, "down"))).toMatch(/^Invalid order size/);
  });
});

describe("the spacing in an error", () => {
  it("is accepted by a geometric grid", () => {
    const request: RequestedRange = {
      lowerPrice: d("59000"),
      upperPrice: d("61000"),
      gridLevels: 50,
      orderSize: d("100"),
      spacingModel: "geometric",
      allowLoss: false,
    };
    const at = (change: Partial<RequestedRange>) =>
      refused(() => checkStart({ ...request, ...change }, { market: market(), quote, balances: undefined }));
    const message = at({});
    expect(message).toMatch(/^Invalid spacing: every cycle loses money: .*; use at most (\d+) levels/);
    expect(message).not.toContain("use a spacing");
    const most = Number(/at most (\d+) levels/.exec(message)?.[1]);
    expect(at({ gridLevels: most })).toBe("");
    expect(at({ gridLevels: most + 1 })).toMatch(/^Invalid spacing/);
  });

  it("is a share of the center for a centered grid, like its field", () => {
    const at = (spacing: bigint) =>
      refused(() =>
        checkCentered(
          { orderSize: d("100"), allowLoss: false, centered: { ...CENTERED, sizeModel: "flat", spacing } },
          { market: market(), quote, balances: undefined },
        ),
      );
    const message = at(d("0.001"));
    expect(message).toMatch(/use a spacing of at least 0\.00\d+, or set allowLoss/);
    const least = decimal(/at least (0\.\d+)/.exec(message)?.[1] as string);
    expect(at(least)).toBe("");
    expect(at(mul(least, d("0.98"), "down"))).toMatch(/^Invalid spacing/);
  });
});
