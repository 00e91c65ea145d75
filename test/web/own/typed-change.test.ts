import { describe, expect, it } from "vitest";
import { KINDS } from "../../../src/kinds.ts";
import { changedText, runningConfig, shownText, typedChange } from "../../../src/web/own/typed-change.ts";
import { type Setting, startForms } from "../../../src/web/start/settings.ts";
import type { AnyStrategy, StartDefinition } from "../../../src/web/types.ts";

const BUILT_IN = KINDS.flatMap(({ definitions }) => definitions).map(({ schema, ...one }) => ({
  ...one,
  config: schema(),
})) as unknown as StartDefinition[];
const OWN = {
  name: "mine",
  builtIn: false,
  config: {
    properties: {
      mode: { enum: ["calm", "fast"], default: "calm", description: "Mode" },
      plain: { enum: ["a", "b"], description: "Plain" },
      size: { type: "number", default: 3, description: "Size" },
      onEnd: { enum: ["keep", "sell"], description: "keep or sell its base; default keep" },
      list: { type: "array", items: { type: "number" }, description: "List" },
    },
  },
} as unknown as StartDefinition;
const settingsOf = (key: string) =>
  startForms([...BUILT_IN, OWN]).find((one) => one.key === key)?.settings ?? [];
const settingOf = (key: string, name: string) => settingsOf(key).find((one) => one.name === name) as Setting;

const running = (kind: string, config: object, more: object = {}) =>
  ({ kind, symbol: "BTC/USDT", ...more, startAgain: { config } }) as unknown as AnyStrategy;

describe("a typed change", () => {
  it("sends the default of a choice that is set back to it, and of an emptied field", () => {
    const one = running("strategy", { mode: "fast", size: 5, list: [1], onEnd: "sell" });
    const typed = { mode: "", size: "", list: "", onEnd: "" };
    expect(typedChange(one, settingsOf("mine"), typed)).toEqual({
      config: { mode: "calm", size: 3, list: [], onEnd: "keep" },
      stuck: [],
    });
    const plain = running("strategy", {});
    expect(typedChange(plain, settingsOf("mine"), { mode: "", size: "3" }).config).toBeUndefined();
  });

  it("removes what the server can remove, each with its own word", () => {
    const config = { spreadPercent: 2, depth: 9, defend: "20:60", stopLossPrice: 5, endsAt: "2040-01-31" };
    const typed = { defend: "", stopLossPrice: "", endsAt: "" };
    expect(typedChange(running("quote", config), settingsOf("quote"), typed)).toEqual({
      config: { defend: "off", stopLossPrice: 0, endsAt: 0 },
      stuck: [],
    });
    const grid = running("grid", { orderSize: 9, reinvest: 0.5 });
    expect(typedChange(grid, settingsOf("grid"), { reinvest: "" }).config).toEqual({ reinvest: 0 });
  });

  it("names what cannot be removed, and changes nothing until it has a value", () => {
    const one = running("quote", { spreadPercent: 2, depth: 9, maxBase: 3, fixedPrice: 7 });
    const typed = { spreadPercent: "3", maxBase: "", fixedPrice: "", minBase: "" };
    expect(typedChange(one, settingsOf("quote"), typed)).toEqual({
      config: undefined,
      stuck: expect.arrayContaining(["Maximum position, BTC", "Fixed price, USDT"]),
    });
    expect(typedChange(one, settingsOf("quote"), typed).stuck).toHaveLength(2);
    expect(typedChange(one, settingsOf("quote"), { ...typed, maxBase: "4", fixedPrice: "8" }).config).toEqual(
      {
        spreadPercent: 3,
        maxBase: 4,
        fixedPrice: 8,
      },
    );
    expect(typedChange(running("strategy", { plain: "a" }), settingsOf("mine"), { plain: "" }).stuck).toEqual(
      ["Plain"],
    );
  });

  it("begins with the range in which a grid stands now", () => {
    const range = { lowerPrice: "50", upperPrice: "60" };
    const moved = { rangeNow: { lowerPrice: "55", upperPrice: "65" } };
    expect(runningConfig(running("grid", {}, { ...range, ...moved }))).toMatchObject(moved.rangeNow);
    expect(runningConfig(running("grid", {}, { ...range, rangeNow: null }))).toMatchObject(range);
  });
});

describe("a value of a change", () => {
  it.each([
    ["centered", "spacing", "0.02", "2"],
    ["centered", "stopLossPrice", "none", "none"],
    ["grid", "reinvest", "0.125", "12.5"],
    ["quote", "maxAge", "90500", "90.5"],
    ["quote", "onEnd", "none", "Is kept"],
    ["quote", "onEnd", "sell", "Is sold"],
    ["quote", "defend", "20:60", "Move it 20 ticks away for 60 passes"],
    ["quote", "defend", "none", "none"],
    ["mine", "mode", "fast", "fast"],
  ])("of %s, %s %s is shown as it was typed", (key, name, text, shown) => {
    expect(changedText(settingOf(key, name), text)).toBe(shown);
  });

  it("is in the words of its field", () => {
    expect(shownText(settingOf("quote", "defend"), "pause:5")).toBe("Cancel its orders for 5 passes");
    expect(changedText(undefined, "1234.5")).toBe("1,234.5");
  });
});
