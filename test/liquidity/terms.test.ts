import { describe, expect, it } from "vitest";
import {
  agreementOf,
  isSampled,
  marketsText,
  type NamedAgreement,
  settingsAgreement,
  stateOf,
  totalText,
} from "../../src/liquidity/agreement-page.tsx";
import { parseMarket, parseTerms } from "../../src/liquidity/market-text.ts";
import { agreementChanges, agreementView, historyView } from "../../src/liquidity/operations/agreements.ts";
import { describeTerms, upRuleOf } from "../../src/liquidity/page-tables.tsx";
import { describeTotalRules, totalFindings, totalRule } from "../../src/liquidity/report.ts";
import type {
  AgreementVersion,
  LiquidityPromise,
  Preset,
  PromiseRequest,
} from "../../src/model/samples/promise.ts";
import { d } from "../support/grid.ts";
import { liquidityMinute, spanOf } from "../support/liquidity-minute.ts";

const IDS = ["kraken", "mexc"];
const DAY = 20_454; // 2026-01-01

describe("the text of markets", () => {
  it("names an exchange, a pair, and the rules of a preset", () => {
    expect(parseMarket("kraken:BTC/USDT", IDS)).toEqual({ exchange: "kraken", symbol: "BTC/USDT" });
    expect(parseMarket("mexc:BTC/USDT gate-score spread=1.5 depth=300 band=0.5", IDS)).toEqual({
      exchange: "mexc",
      symbol: "BTC/USDT",
      promise: { preset: "gate-score", request: { spread: d("0.015"), depth: d("300"), band: 0 } },
    });
    for (const wrong of [
      "kraken",
      "kraken:",
      ":BTC/USDT",
      "other:BTC/USDT",
      "kraken:btc",
      "kraken:BTC/USDT no",
    ])
      expect(parseMarket(wrong, IDS), wrong).toBeUndefined();
    expect(parseMarket("kraken:BTC/USDT agreement depth=-1", IDS)).toBeUndefined();
  });

  it("has shares in percent, up to a hundred, and levels from 1 to 99", () => {
    expect(parseTerms(["spread=100", "uptime=0.5", "depth=7.5", "band=2", "levels=99"])).toEqual({
      spread: d("1"),
      uptime: d("0.005"),
      depth: d("7.5"),
      band: 2,
      levels: 99,
    });
    expect(["0.5", "1", "2"].map((band) => parseTerms([`band=${band}`])?.band)).toEqual([0, 1, 2]);
    expect(parseTerms([])).toEqual({});
    for (const wrong of [
      "spread=100.1",
      "uptime=101",
      "levels=0",
      "levels=100",
      "levels=1.5",
      "band=3",
      "depth=x",
    ])
      expect(parseTerms(["uptime=95", wrong]), wrong).toBeUndefined();
    for (const wrong of ["depth", "depth=", "gap=1", "depth=5 ", "spread=1e1"])
      expect(parseTerms([wrong]), wrong).toBeUndefined();
  });

  it("is stored with single spaces, and each market once", () => {
    expect(marketsText("kraken:BTC/USDT   depth=5,mexc:BTC/USDT agreement", IDS)).toBe(
      "kraken:BTC/USDT depth=5, mexc:BTC/USDT agreement",
    );
    for (const wrong of ["kraken:BTC/USDT, kraken:BTC/USDT depth=5", "kraken:BTC/USDT,", "x:BTC/USDT"])
      expect(marketsText(wrong, IDS), wrong).toBeUndefined();
  });

  it.each<[string, boolean]>([
    ["uptime=95", true],
    ["depth=5000", true],
    ["uptime=95 spread=2 levels=3", true],
    ["depth=5000 band=1", true],
    ["uptime=95 depth=5000 band=1 spread=2", true],
    // Nothing is limited, or a value that the rules do not use is given.
    ["spread=2", false],
    ["band=1", false],
    ["depth=5000 spread=2", false],
    ["depth=5000 levels=2", false],
    ["uptime=95 band=1", false],
    ["", false],
    ["uptime=x", false],
  ])("of a total is valid as %j: %s", (text, isValid) => {
    expect(totalText(`  ${text}  `)).toBe(isValid ? text : undefined);
  });
});

const stored = (over: Partial<AgreementVersion> = {}): AgreementVersion => ({
  name: "snek",
  version: 2,
  at: 5,
  actor: "tok_a",
  counterparty: null,
  from: DAY,
  until: null,
  total: null,
  markets: "kraken:BTC/USDT depth=5, gateio:BTC/USDT, mexc:SNEK/USDT mexc-st",
  ...over,
});

describe("a stored agreement", () => {
  it("has the markets of these settings, and names the others", () => {
    const { markets, unknownMarkets, total } = agreementOf(stored({ total: "uptime=95 depth=7" }), IDS);
    expect(markets).toEqual([
      {
        exchange: "kraken",
        symbol: "BTC/USDT",
        promise: { preset: "agreement", request: { depth: d("5") } },
      },
      { exchange: "mexc", symbol: "SNEK/USDT", promise: { preset: "mexc-st", request: {} } },
    ]);
    expect(unknownMarkets).toEqual(["gateio:BTC/USDT"]);
    expect(total).toEqual({ uptime: d("0.95"), depth: d("7") });
    expect(agreementOf(stored(), IDS).total).toBeNull();
    // As an earlier version stored it.
    expect(agreementOf(stored({ total: "volume=5" }), IDS).total).toBeNull();
  });

  it("is planned, active and ended by its days, and sampled a day longer", () => {
    const of = (from: number, until: number | null) => ({ from, until }) as NamedAgreement;
    const states = [DAY - 1, DAY, DAY + 4, DAY + 5, DAY + 6].map((today) => [
      stateOf(of(DAY, DAY + 4), today),
      isSampled(of(DAY, DAY + 4), today),
    ]);
    expect(states).toEqual([
      ["planned", false],
      ["active", true],
      ["active", true],
      ["ended", true],
      ["ended", false],
    ]);
    expect([stateOf(of(DAY, null), DAY + 999), isSampled(of(DAY, null), DAY + 999)]).toEqual([
      "active",
      true,
    ]);
  });

  it("is shown with its rules, its text, and its newest edit", () => {
    const version = stored({ until: DAY + 30, total: "uptime=95", counterparty: "Foundation" });
    expect(agreementView(agreementOf(version, IDS), version, DAY)).toEqual({
      agreement: "snek",
      source: "stored",
      state: "active",
      counterparty: "Foundation",
      from: "2026-01-01",
      until: "2026-01-31",
      version: 2,
      changedAt: 5,
      markets: [
        {
          exchange: "kraken",
          symbol: "BTC/USDT",
          preset: "agreement",
          terms: expect.arrayContaining([expect.stringContaining("at least 5 USDT per side")]),
        },
        { exchange: "mexc", symbol: "SNEK/USDT", preset: "mexc-st", terms: [expect.any(String)] },
      ],
      unknownMarkets: ["gateio:BTC/USDT"],
      total: [
        "At least 95 % of the time with the rules of each market, as the mean of all markets of a pair",
      ],
      text: { markets: version.markets, total: "uptime=95" },
    });
  });

  it("lists what each edit changed", () => {
    const first = stored({ version: 1, at: 1 });
    const second = stored({ counterparty: "Foundation", until: DAY + 30, total: "uptime=95" });
    expect(historyView([first, second])).toEqual([
      { version: 1, at: 1, actor: "tok_a", changes: `markets is ${first.markets}; from is 2026-01-01` },
      {
        version: 2,
        at: 5,
        actor: "tok_a",
        changes:
          "counterparty is Foundation, was none; until is 2026-01-31, was none; total is uptime=95, was none",
      },
    ]);
    expect(agreementChanges(second, { ...second })).toBe("");
    expect(agreementChanges(second, { ...second, from: DAY + 1 })).toBe("from is 2026-01-02, was 2026-01-01");
  });
});

it("the settings are an agreement only if one of their pairs has rules", () => {
  const bare = { exchange: "kraken", symbol: "BTC/USDT" } as const;
  expect(settingsAgreement([bare])).toBeUndefined();
  const promise = { preset: "mexc-st", request: {} } as const;
  const agreement = settingsAgreement([bare, { ...bare, exchange: "mexc", promise }]);
  expect(agreement).toMatchObject({
    name: "settings",
    from: 0,
    until: null,
    total: null,
    unknownMarkets: [],
  });
  expect(agreement?.markets).toEqual([{ ...bare, exchange: "mexc", promise }]);
  expect(agreementView(agreement as NamedAgreement, undefined, DAY)).toMatchObject({
    source: "settings",
    from: null,
    changedAt: null,
    text: { markets: "", total: null },
  });
});

describe("the rules of a preset in words", () => {
  const terms = (preset: Preset, request: PromiseRequest = {}) => describeTerms({ preset, request }, "USDT");

  it("have the usual values where none are given", () => {
    expect(terms("agreement")).toEqual([
      "Own orders on both sides for at least 90 % of the time",
      "At most 2 % between the best own bid and ask, and at least 1 own order per side; other minutes do not count",
      "A mean depth of at least 1,000 USDT per side within 2 % of the mid price",
    ]);
    expect(terms("gate-score", { spread: d("0.01"), depth: d("5000"), band: 0, uptime: d("0.5") })).toEqual([
      "A minute scores if the own spread is below 1 %, and the smaller side has more than 5,000 USDT within 0.5 %",
      "At least 50 % of the time scores",
    ]);
    expect(terms("agreement", { levels: 3 })[1]).toContain("at least 3 own orders per side");
  });

  it("are an exchange's own, with a limit of the user if there is one", () => {
    expect(terms("mexc-st")).toEqual(["MEXC's ST warning rules for a whole market, as of 2024-10-29"]);
    expect(terms("binance-flags")).toHaveLength(1);
    expect(terms("bitget-st")).toHaveLength(1);
    expect(terms("bitget-st", { spread: d("0.02") })[1]).toBe("Your own limit: a mean spread of at most 2 %");
  });
});

describe("the rules of all markets of a pair", () => {
  const market = (preset: Preset, request: PromiseRequest = {}): LiquidityPromise => ({ preset, request });

  it("count the minutes by each market's rule, unless the total has its own", () => {
    const gate = market("gate-score", { depth: d("7") });
    expect(totalRule({ uptime: d("0.9") }, gate).key).toBe(upRuleOf(gate)?.key);
    expect(totalRule({ uptime: d("0.9") }, market("mexc-st")).key).toBe("agreement 0.02 1");
    expect(totalRule({ spread: d("0.01") }, gate).key).toBe("agreement 0.01 1");
    expect(totalRule({ levels: 3 }, gate).key).toBe("agreement 0.02 3");
  });

  it("are described with what a minute needs to count", () => {
    expect(describeTotalRules({ uptime: d("0.95"), spread: d("0.01"), levels: 1 })).toEqual([
      "At least 95 % of the time with own orders at most 1 % apart and at least 1 own order per side, as the mean of all markets of a pair",
    ]);
    expect(describeTotalRules({ depth: d("5000"), band: 1 })).toEqual([
      "A mean depth of at least 5,000 in quote per side within 1 % of the mid price, as the sum of all markets of a pair",
    ]);
    expect(describeTotalRules({ uptime: d("0.9"), levels: 2 })[0]).toContain(
      "with at least 2 own orders per side,",
    );
  });

  it("are one result for the time, and one for each side of the depth in its band", () => {
    const ownDepth = { bids: [d("1"), d("2"), d("3")], asks: [d("4"), d("5"), d("6")] } as const;
    const spans = [0, 1].map(() => spanOf({ from: 0, to: 1, rows: [liquidityMinute({ ownDepth })] }));
    const found = (request: PromiseRequest) =>
      totalFindings(spans, request).map(({ rule, value, limit }) => [rule, value, limit]);
    expect(found({ depth: d("4"), band: 1 })).toEqual([
      ["mean depth of own bids, sum of 2 markets", d("4"), d("4")],
      ["mean depth of own asks, sum of 2 markets", d("10"), d("4")],
    ]);
    expect(found({ depth: d("4") }).map(([, value]) => value)).toEqual([d("6"), d("12")]);
    expect(found({ uptime: d("0.9") })).toEqual([["time that counts, mean of 2 markets", 0n, d("0.9")]]);
  });
});
