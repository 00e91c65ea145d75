import { describe, expect, it } from "vitest";
import { KINDS } from "../../../src/kinds.ts";
import {
  freeAsBudget,
  openedTexts,
  requestIn,
  type StartForm,
  startAddress,
  startBody,
  startForms,
  textsOf,
  wholeTexts,
} from "../../../src/web/start/settings.ts";
import type { StartDefinition } from "../../../src/web/types.ts";

const BUILT_IN = KINDS.flatMap(({ definitions }) => definitions).map(({ schema, ...one }) => ({
  ...one,
  config: schema(),
})) as unknown as StartDefinition[];

const OWN = {
  name: "mine",
  title: "mine",
  summary: null,
  builtIn: false,
  version: 1,
  config: {
    type: "object",
    required: ["spreads", "shares", "inner", "flag"],
    properties: {
      spreads: { type: "array", items: { type: "number" }, description: "Spreads" },
      shares: {
        type: "object",
        additionalProperties: { type: "number" },
        description: "Share of each asset",
      },
      legs: {
        type: "array",
        items: { type: "object", properties: { side: { type: "string" }, far: { type: "number" } } },
      },
      inner: {
        type: "object",
        properties: {
          deep: { type: "object", properties: { count: { type: "integer" }, name: { type: "string" } } },
        },
      },
      flag: { type: "boolean" },
      maxLoss: { type: "number" },
      odd: { anyOf: [{ type: "number" }, { type: "array" }] },
      size: { type: "number", description: "Size", default: 3 },
    },
  },
} as unknown as StartDefinition;

const FORMS = startForms([...BUILT_IN, OWN]);
const formOf = (key: string): StartForm => FORMS.find((one) => one.key === key) as StartForm;

const PLACE = { exchange: "kraken", symbol: "BTC/USDT" };
const REQUESTS: Readonly<Record<string, object>> = {
  grid: {
    definition: "grid",
    ...PLACE,
    config: {
      geometry: "range",
      lowerPrice: 57_000,
      upperPrice: 63_000,
      gridLevels: 6,
      orderSize: 100,
      trail: { up: 70_000, down: 40_000 },
      stopLossPrice: 39_000,
      maxPosition: 0.018,
      endsAt: "2040-01-31T00:00:00.000Z",
      onEnd: "keep",
      initialBuy: false,
    },
  },
  centered: {
    definition: "grid",
    ...PLACE,
    dryRun: true,
    config: {
      geometry: "centered",
      size: 25,
      spacing: 0.0213,
      customSpacings: [0.01, 0.025],
      sizeWeights: [1, 2.5],
      debounce: 1500,
      allowLoss: false,
    },
  },
  quote: {
    definition: "quote",
    ...PLACE,
    quoteBudget: 900,
    baseBudget: 0.5,
    config: { spreadPercent: 0.3, size: 20, defend: "pause:30", maxAge: 90_500, useOwn: false, sigma: 0.2 },
  },
  mine: {
    definition: "mine",
    ...PLACE,
    config: {
      spreads: [0.1, 0.25],
      shares: { BTC: 0.5, ADA: 0.25 },
      legs: [{ side: "buy", far: 2 }],
      inner: { deep: { count: 2, name: "x" } },
      flag: false,
      odd: [1],
      maxLoss: 5,
    },
  },
};

describe("the form of a start", () => {
  it.each(Object.keys(REQUESTS))("sends every setting of a request of %s as it was", (key) => {
    const request = REQUESTS[key] as Record<string, unknown>;
    const form = formOf(key);
    expect(startBody(form, textsOf(form, request))).toEqual({ body: request, missing: [] });
    expect(startBody(form, wholeTexts(form, request))).toEqual({ body: request, missing: [] });
  });

  it.each(Object.keys(REQUESTS))(
    "carries every setting of a request of %s in an address, also budgets and paper trading",
    (key) => {
      const request = REQUESTS[key] as Record<string, unknown>;
      const address = new URLSearchParams(startAddress(formOf(key), request));
      const { body } = startBody(formOf(key), textsOf(formOf(key), requestIn(address)));
      expect(body).toEqual(request);
    },
  );

  it.each(["abc", "5", "{", "null", '{"a":1}', "[1"])("ignores %s as a list in an address", (text) => {
    const texts = textsOf(formOf("mine"), { config: { spreads: text, legs: text, endsAt: text } });
    expect(texts).toMatchObject({ spreads: "", legs: "" });
    expect(textsOf(formOf("grid"), { config: { endsAt: "soon" } })).toMatchObject({ endsAt: "" });
    expect(textsOf(formOf("mine"), { config: { shares: "[1]", legs: "[null]" } })).toMatchObject({
      shares: "",
      legs: '[["",""]]',
    });
  });

  it("keeps all digits of a small number", () => {
    const config = { lowerPrice: 0.000000000041, upperPrice: 0.000000000082, gridLevels: 2, orderSize: 1 };
    const request = { definition: "grid", ...PLACE, config: { geometry: "range", ...config } };
    expect(startBody(formOf("grid"), textsOf(formOf("grid"), request)).body).toEqual(request);
  });

  it("names what is missing, with the unit of the pair", () => {
    expect(startBody(formOf("grid"), { ...PLACE, gridLevels: "20" })).toEqual({
      missing: ["Lower price, USDT", "Upper price, USDT", "Per order, USDT"],
    });
    expect(startBody(formOf("quote"), { exchange: "kraken", symbol: "BTC", spreadPercent: "1,000" })).toEqual(
      {
        missing: ["Pair", "Spread between bid and ask, %", "Depth per side"],
      },
    );
  });

  it("requires the size of a centered grid, which the server assumes in any asset", () => {
    const form = formOf("centered");
    const typed = openedTexts(form, PLACE, false);
    expect(startBody(form, typed).body).toMatchObject({ config: { size: 50 } });
    expect(startBody(form, { ...typed, symbol: "ETH/BTC" })).toEqual({ missing: ["Per order, BTC"] });
  });

  it("shows that orders which would pay the taker fee are refused by default", () => {
    const initials = ["grid", "centered"].map(
      (key) => formOf(key).settings.find(({ name }) => name === "postOnly")?.initial,
    );
    expect(initials).toEqual(["true", "true"]);
  });

  it("opens the settings of an address as they are, but sells own base only by a choice", () => {
    const form = formOf("grid");
    const config = { lowerPrice: 50, upperPrice: 60, orderSize: 9 };
    const texts = openedTexts(form, { ...PLACE, config }, false);
    expect(texts).toMatchObject({ allowLoss: "false", useOwnBase: "false", "orderSize USDT": "9" });
    expect(texts.gridLevels).toBeUndefined();
    const own = { ...config, useOwnBase: "true" };
    expect(openedTexts(form, { ...PLACE, config: own }, false)).toMatchObject({ useOwnBase: "true" });
    expect(openedTexts(form, PLACE, false)).toMatchObject({ gridLevels: "20" });
    expect(openedTexts(form, { ...PLACE, config }, true).useOwnBase).toBeUndefined();
  });

  it.each([
    [undefined, ""],
    [0, ""],
    [1234.9, "1234"],
    [99.879, "99.87"],
    [0.5, "0.5"],
    [0.29, "0.29"],
    [0.00123456, "0.001234"],
  ])("offers of %s free the budget %s", (free, budget) => {
    expect(freeAsBudget(free)).toBe(budget);
  });

  it("shows no name of a field of the API", () => {
    const labels = FORMS.flatMap(({ key, settings }) =>
      key === "mine" ? [] : settings.map(({ label }) => label),
    );
    expect(labels.filter((label) => /[a-z][A-Z]|Percent\b/.test(label))).toEqual([]);
  });
});
