import { describe, expect, it } from "vitest";
import { approvedStart, type Checked } from "../../../src/grid/start/check.ts";
import { FIRST_BUY_SLOT } from "../../../src/grid/state/state.ts";
import type { Intent } from "../../../src/model/order.ts";
import { planHashOf } from "../../../src/model/shown-plan.ts";
import { d, slot } from "../../support/grid.ts";
import { askingOf, testSandbox } from "../../support/sandbox.ts";
import { previews, starts } from "../../support/starts.ts";

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
const BOTH = [intent(), intent({ slot: 1, side: "sell", price: d("120") })];
const PLACE = { exchange: "kraken", kind: "live", symbol: "BTC/USDT" } as const;
const hashOf = (
  checked: Checked,
  intents: readonly Intent[],
  place: Parameters<typeof approvedStart>[2] = PLACE,
) => planHashOf(approvedStart(checked, intents, place));
const HASH = hashOf(RANGE, BOTH);

describe("the hash of a plan", () => {
  it("is the same while the same orders would be placed, in any order and at any price", () => {
    expect(HASH).toMatch(/^[0-9a-f]{32}-105$/);
    expect(hashOf(RANGE, [...BOTH].reverse())).toBe(HASH);
    expect(hashOf(RANGE, [intent({ price: d("101") }), BOTH[1] as Intent])).toBe(HASH);
  });

  it.each<[string, Intent[]]>([
    ["amount", [intent({ amount: d("2") }), BOTH[1] as Intent]],
    ["side", [intent({ side: "sell" }), BOTH[1] as Intent]],
    ["count", [BOTH[0] as Intent]],
    ["initial buy", [...BOTH, intent({ slot: FIRST_BUY_SLOT })]],
  ])("changes with another %s", (_, intents) => {
    expect(hashOf(RANGE, intents)).not.toBe(HASH);
  });

  it("is the same with and without the buy of a slot that waits for the price", () => {
    const slots = RANGE.slots.map((one) => ({ ...one, side: "sell" as const }));
    const sell = BOTH.slice(1);
    expect(hashOf({ ...RANGE, slots }, BOTH)).toBe(hashOf({ ...RANGE, slots }, sell));
  });

  it("changes with another configuration", () => {
    expect(hashOf({ ...RANGE, config: { ...RANGE.config, orderSize: d("51") } }, BOTH)).not.toBe(HASH);
  });

  it.each([
    ["exchange", { ...PLACE, exchange: "gateio" }],
    ["kind of account", { ...PLACE, kind: "dry" as const }],
    ["pair", { ...PLACE, symbol: "BTC/EUR" as const }],
  ])("changes with another %s", (_, place) => {
    expect(hashOf(RANGE, BOTH, place)).not.toBe(HASH);
  });
});

describe("the hash of a preview", () => {
  const request = { lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 4, orderSize: 50 };
  const where = { exchange: "kraken", symbol: "BTC/USDT" };

  it("on paper does not start a real grid", async () => {
    const shown = { dryRun: true, dryBalance: "USDT=100000,BTC=2" };
    const { deps, store } = await testSandbox();
    const { ask } = askingOf(deps);
    const of = (over: object) => ({ ...where, ...request, ...over });
    const { planHash } = await ask<{ planHash: string }>(...previews("grid", of(shown)));
    const begin = (over: object) => ask(...starts("grid", { ...of(over), planHash }));
    await expect(begin({})).rejects.toMatchObject({ label: "Conflict" });
    expect(await store.strategies({})).toEqual([]);
    await begin(shown);
    expect(await store.strategies({})).toHaveLength(1);
  });
});
