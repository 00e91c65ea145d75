import { describe, expect, it } from "vitest";
import type { ReportableEvent, ReportableFill } from "../../src/model/news.ts";
import { eventNews, fillNews } from "../../src/notify/news.ts";
import { d } from "../support/grid.ts";

const GRID = "grid-kraken-BTC-USDT-1";
const event = (over: Partial<ReportableEvent>): ReportableEvent => ({
  id: 1,
  account: "live:kraken:h",
  strategy: null,
  at: 7,
  kind: "error",
  message: "it failed",
  ...over,
});
const fill = (over: Partial<ReportableFill> = {}): ReportableFill => ({
  number: 1,
  account: "live:kraken:h",
  strategy: GRID,
  symbol: "BTC/USDT",
  side: "buy",
  amount: d("0.5"),
  notional: d("100"),
  at: 7,
  isSuperseded: false,
  ...over,
});

describe("the news of an event", () => {
  const textOf = (over: Partial<ReportableEvent>) => eventNews(event(over))?.text;

  it("names its strategy, or else its exchange", () => {
    expect(eventNews(event({ strategy: GRID }))).toEqual({
      key: `error ${GRID} it failed`,
      level: "alert",
      text: `${GRID}: error, it failed`,
      at: 7,
    });
    expect(textOf({ strategy: GRID, name: "mine" })).toContain("mine");
    expect(textOf({})).toBe("kraken: error, it failed");
    expect(textOf({ account: "dry:kraken:h" })).toBe("kraken (paper trading): error, it failed");
    expect(textOf({ account: "" })).toBe("error, it failed");
    expect(textOf({ message: "x".repeat(400) })).toHaveLength(300);
  });

  it("has the level of what happened, and is none if a person just requested it", () => {
    const levels = (["cycle", "rejected", "exit", "kill", "order"] as const).map(
      (kind) => eventNews(event({ kind: kind as ReportableEvent["kind"] }))?.level,
    );
    expect(levels).toEqual(["info", "warning", "alert", "alert", undefined]);
    const status = (message: string) => eventNews(event({ kind: "status", message }))?.level;
    expect([status("running to error: x"), status("error to running")]).toEqual(["alert", "warning"]);
    const watch = (message: string) => eventNews(event({ kind: "watch", message }))?.level;
    expect([watch("no tick for 3 intervals"), watch("ticks again")]).toEqual(["alert", "warning"]);
  });

  it("is the same for another order, but not for another strategy, exchange or kind", () => {
    const keyOf = (over: Partial<ReportableEvent>) => eventNews(event(over))?.key;
    const first = keyOf({ message: "em0123456789abcdef: 5 of 7 lost" });
    expect(keyOf({ message: "emfedcba9876543210: 6 of 9 lost" })).toBe(first);
    const others = [{ strategy: GRID }, { account: "live:mexc:h" }, { kind: "exit" as const }];
    for (const over of others)
      expect(keyOf({ message: "em0123456789abcdef: 5 of 7 lost", ...over })).not.toBe(first);
  });
});

describe("the news of a fill", () => {
  it("names its strategy, or the exchange of a manual order", () => {
    expect(fillNews(fill())).toEqual({
      key: `fill ${GRID} BTC/USDT buy`,
      level: "info",
      text: `${GRID}: bought`,
      at: 7,
      fill: { symbol: "BTC/USDT", amount: d("0.5"), notional: d("100") },
    });
    expect(fillNews(fill({ side: "sell", name: "mine" })).text).toBe(`mine (${GRID}): sold`);
    expect(fillNews(fill({ strategy: null, side: "sell" }))).toMatchObject({
      key: "fill live:kraken:h BTC/USDT sell",
      text: "kraken, manual order: sold",
    });
  });

  it("is added to that of the same strategy, pair and side alone", () => {
    const keys = [
      fill(),
      fill({ side: "sell" }),
      fill({ symbol: "ETH/USDT" }),
      fill({ strategy: "other" }),
      fill({ strategy: null }),
      fill({ strategy: null, account: "live:mexc:h" }),
    ].map((one) => fillNews(one).key);
    expect(new Set(keys).size).toBe(6);
  });
});
