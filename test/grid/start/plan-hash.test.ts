import { describe, expect, it } from "vitest";
import { type Checked, centerOf, checkHash, planHashOf as hashAt } from "../../../src/grid/start/check.ts";
import { FIRST_BUY_SLOT } from "../../../src/grid/state/state.ts";
import type { Intent } from "../../../src/model/order.ts";
import { parsed } from "../../backtest/stepped.ts";
import { d, slot } from "../../support/grid.ts";
import { runOperation, testSandbox } from "../../support/sandbox.ts";

const intent = (over: Partial<Intent> = {}): Intent => ({
  slot: 0,
  side: "buy",
  price: d("100"),
  amount: d("1"),
  ...over,
});
const RANGE = {
  config: { orderSize: d("50"), gridLevels: 2 },
  slots: [slot(), slot({ index: 1, lower: d("110"), upper: d("120") })],
  startPrice: d("105"),
  center: d("105"),
  warnings: [],
} as unknown as Checked;
/** Around 110, with a level on each side: 100 and 120. */
const AROUND = {
  ...RANGE,
  config: { ...RANGE.config, centered: { levels: 1 } },
  startPrice: d("110"),
  center: d("110"),
} as unknown as Checked;

const BOTH = [intent(), intent({ slot: 1, side: "sell", price: d("120") })];
const PLACE = { exchange: "kraken", kind: "live", symbol: "BTC/USDT" } as const;
const planHashOf = (checked: Checked, intents: readonly Intent[]) => hashAt(checked, intents, PLACE);
const HASH = planHashOf(RANGE, BOTH);

describe("the hash of a plan", () => {
  it("is the same while the same orders would be placed, in any order", () => {
    expect(HASH).toMatch(/^[0-9a-f]{32}-105$/);
    expect(planHashOf(RANGE, [...BOTH].reverse())).toBe(HASH);
    expect(planHashOf({ ...RANGE, startPrice: d("106") }, BOTH)).toBe(HASH);
  });

  it.each<[string, Intent[]]>([
    ["price", [intent({ price: d("101") }), BOTH[1] as Intent]],
    ["amount", [intent({ amount: d("2") }), BOTH[1] as Intent]],
    ["side", [intent({ side: "sell" }), BOTH[1] as Intent]],
    ["count", [BOTH[0] as Intent]],
  ])("changes with another %s", (_, intents) => {
    expect(planHashOf(RANGE, intents)).not.toBe(HASH);
  });

  it("changes with another configuration", () => {
    expect(planHashOf({ ...RANGE, config: { ...RANGE.config, orderSize: d("51") } }, BOTH)).not.toBe(HASH);
  });

  it.each([
    ["exchange", { ...PLACE, exchange: "gateio" }],
    ["kind of account", { ...PLACE, kind: "dry" as const }],
    ["pair", { ...PLACE, symbol: "BTC/EUR" as const }],
  ])("changes with another %s", (_, place) => {
    for (const checked of [RANGE, AROUND])
      expect(hashAt(checked, BOTH, place).slice(0, 16)).not.toBe(planHashOf(checked, BOTH).slice(0, 16));
  });

  it("excludes the price of the first buy's limit, which follows every trade", () => {
    const bought = (over: Partial<Intent>) =>
      planHashOf(RANGE, [...BOTH, intent({ slot: FIRST_BUY_SLOT, ...over })]);
    expect(bought({ price: d("106") })).toBe(bought({ price: d("107") }));
    expect(bought({ amount: d("3") })).not.toBe(bought({}));
  });

  it("includes the center of a grid around the market", () => {
    const hash = planHashOf({ ...AROUND, center: d("110.5") }, BOTH);
    expect(hash).toMatch(/^[0-9a-f]{32}-110\.5$/);
    expect(centerOf(hash)).toBe(d("110.5"));
    expect([centerOf(HASH), centerOf(undefined)]).toEqual([d("105"), undefined]);
  });
});

describe("a start with a hash", () => {
  const stale = expect.objectContaining({ label: "Conflict" });
  const check = (checked: Checked, expected: string | undefined) => () =>
    checkHash({ hash: "h", checked }, expected);

  it("is valid while the hash matches the plan, and always without a hash", () => {
    expect(check(RANGE, "h")).not.toThrow();
    expect(check(RANGE, undefined)).not.toThrow();
    expect(check({ ...AROUND, startPrice: d("1") }, undefined)).not.toThrow();
    expect(check(RANGE, "g")).toThrow(stale);
    expect(check({ ...RANGE, startPrice: d("108") }, "h")).not.toThrow();
    expect(check({ ...RANGE, startPrice: d("109") }, "h")).toThrow(stale);
  });

  it("around a center is valid while the market is between the levels next to it", () => {
    const hash = planHashOf(AROUND, BOTH);
    const checkAround =
      (checked: Checked, expected = hash) =>
      () =>
        checkHash({ hash, checked }, expected);
    const at = (price: string) => checkAround({ ...AROUND, startPrice: d(price) });
    expect(at("100.01")).not.toThrow();
    expect(at("119.99")).not.toThrow();
    expect(at("100")).toThrow(stale);
    expect(at("120")).toThrow(stale);
    expect(checkAround({ ...AROUND, slots: [] })).toThrow(stale);
    expect(checkAround({ ...AROUND, slots: AROUND.slots.slice(0, 1) })).toThrow(stale);
    expect(checkAround(AROUND, "h")).toThrow(stale);
    expect(checkAround(AROUND, planHashOf({ ...AROUND, center: d("111") }, BOTH))).toThrow(stale);
  });
});

describe("the hash of a preview", () => {
  const request = { lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 4, orderSize: 50 };
  const where = { exchange: "kraken", symbol: "BTC/USDT" };

  it("on paper does not start a real grid", async () => {
    const shown = { dryRun: true, dryBalance: "USDT=100000,BTC=2" };
    const { deps, store } = await testSandbox();
    const { preview, start } = { preview: "preview_grid", start: "start_grid" };
    const inputOf = (over: object) => parsed(preview, { ...where, ...request, ...over }).request;
    const { planHash } = await runOperation<{ planHash: string }>(deps, preview, inputOf(shown));
    const begin = (over: object) => runOperation(deps, start, { ...inputOf(over), planHash });
    await expect(begin({})).rejects.toMatchObject({ label: "Conflict" });
    expect(await store.strategies({})).toEqual([]);
    await begin(shown);
    expect(await store.strategies({})).toHaveLength(1);
  });
});
