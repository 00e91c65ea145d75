import { expect, it } from "vitest";
import { LIMIT_FORMS, LIMIT_NAMES, readLimit } from "../../../src/limits/texts.ts";
import {
  limitColumns,
  limitTitle,
  limitValue,
  lowestDayLimit,
  writeLimit,
} from "../../../src/web/controls/limit-text.ts";

it("shows every limit by a name in words, and its value with its unit", () => {
  for (const name of Object.keys(LIMIT_FORMS)) expect(limitTitle(name)).toMatch(/^[A-Z][A-Za-z ,]+$/);
  // A newer server can have a limit that this page does not know.
  expect(limitTitle("newest")).toBe("newest");
  expect(limitValue("priceAgeMillis", "60000")).toBe("1 min");
  expect(limitValue("priceMovePercent", "10")).toBe("10\u00a0%");
  expect(limitValue("mostNotional", "USDT=2500,BTC=0.1")).toBe("2,500 USDT, 0.1 BTC");
  expect(limitValue("orderGapMillis", "500")).toBe("500 ms");
  expect(limitValue("orderGapMillis", "1500")).toBe("1,500 ms");
  expect(limitValue("priceAgeMillis", "off")).toBe("off");
  expect(limitValue("onLoss", "off")).toBe("pause (default)");
});

it("takes every limit as fields, and writes what the server reads", () => {
  const typed: Readonly<Record<string, string>> = { Asset: "usdt", Amount: "500", Pair: "btc/usdt" };
  for (const name of LIMIT_NAMES) {
    const columns = limitColumns(name);
    const row = columns.map(({ label, initial }) => typed[label] ?? (initial || "5"));
    expect(columns.map(({ check }, at) => check?.(row[at] ?? "", 0, [row]) ?? "").join("")).toBe("");
    expect([name, readLimit(name, writeLimit(name, [row]))]).not.toContain(undefined);
  }
  const amounts = [
    ["usdt ", "500"],
    ["BTC", "0.1"],
  ];
  expect(writeLimit("orderNotional", amounts)).toBe("USDT=500,BTC=0.1");
  expect(writeLimit("symbols", [["btc/usdt"], ["ETH/USDT"]])).toBe("BTC/USDT,ETH/USDT");
  expect(writeLimit("orderGapMillis", [["1.5"]])).toBe("1500");
});

it("names what is wrong with a value in words", () => {
  const wrong = (name: string, ...row: string[]) =>
    limitColumns(name).map(({ check }, at) => check?.(row[at] ?? "", 0, [row]) ?? "");
  expect(wrong("orderNotional", "USDT=5", "")).toEqual([
    "Write an asset, such as USDT.",
    "Write an amount, such as 500.",
  ]);
  expect(wrong("collarPercent", "101")).toEqual(["Write a percentage up to 100."]);
  expect(wrong("openOrders", "1.5")).toEqual(["Write a whole number."]);
  expect(wrong("priceAgeMillis", "soon")).toEqual(["Write a number of seconds, such as 60."]);
});

it("finds the lowest limit of a day that applies to an account and an asset", () => {
  const one = (scope: string, dayNotional: string) => ({ scope, limits: { dayNotional } });
  const data = {
    settings: { dayNotional: "USDT=9000" },
    limits: [one("every", "USDT=20000,EUR=5000"), one("account:mexc", "USDT=500"), one("token:t", "USDT=50")],
  } as unknown as Parameters<typeof lowestDayLimit>[0];
  const of = (scope: string, asset: string) => lowestDayLimit(data, { scope, asset });
  expect(of("account:sandbox:mexc:", "USDT")).toBe(500);
  expect(of("account:sandbox:kraken:", "USDT")).toBe(9000);
  expect(of("account:sandbox:kraken:", "EUR")).toBe(5000);
  expect(of("account:sandbox:kraken:", "BTC")).toBeUndefined();
  expect(of("account:live:mexc:api.mexc.com", "USDT")).toBe(500);
  expect(of("token:t", "USDT")).toBe(50);
  expect(of("token:t", "EUR")).toBeUndefined();
});
