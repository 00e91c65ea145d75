import { describe, expect, it } from "vitest";
import { withdrawView } from "../../src/account/operations/balances.ts";
import { decimal, text } from "../../src/kernel/decimal.ts";
import type { PlanOfGrid } from "../../src/web/types.ts";
import { type Driven, drivenApp } from "../support/driven.ts";
import { appClient, callTool, textOf } from "../support/mcp.ts";
import { previewOf, startOf } from "../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const RANGE = { ...MARKET, lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 6, orderSize: 200 };

interface Plan {
  readonly balances: readonly {
    readonly asset: string;
    readonly total: string;
    readonly used: string;
    readonly kept: string;
    readonly canWithdraw: string;
    readonly missing: string;
  }[];
  readonly needs: readonly { readonly id: string; readonly quote: string; readonly base: string }[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

const planOf = async (app: Driven) =>
  (await app.call<Plan>("GET", "/balance?exchange=kraken&withdrawable=true")).body;

const ofAsset = ({ balances }: Plan, name: string) => {
  const found = balances.find(({ asset }) => asset === name);
  if (!found) throw new Error(`${name} is not in the plan`);
  return found;
};

const STARVING = ["no_quote", "inventory_missing", "max_position", "safety_reserve"];

/** Down through the range and up again, twice: whether a slot has waited for funds at any pass. */
async function isStarved(app: Driven): Promise<boolean> {
  let isOne = false;
  for (const factor of [0.94, 1.01, 1.16, 0.82, 1.1, 0.99]) {
    await app.move(factor);
    for (let at = 0; at < 4; at++) {
      await app.tick(20_000);
      const grids = await app.grids();
      isOne ||= grids.some(({ refused }) => refused.some(({ reason }) => STARVING.includes(reason)));
    }
  }
  return isOne;
}

async function withGrid(over: object = {}) {
  const app = await drivenApp();
  await app.start({ ...RANGE, ...over });
  await app.tick();
  return app;
}

describe("a plan of a grid", () => {
  it.each([
    ["a range", {}],
    ["a range without own base", { useOwnBase: false }],
    ["a first buy", { useOwnBase: false, initialBuy: true }],
    ["geometric levels", { useOwnBase: false, spacingModel: "geometric" }],
    ["a grid that trails", { trail: { up: 66_000, down: 54_000 } }],
  ])("reports as free what is not needed later: %s", async (_what, over) => {
    const app = await drivenApp();
    const request = { ...RANGE, ...over };
    const { body: plan } = await app.call<PlanOfGrid>("POST", ...previewOf("grid", request));
    const free = decimal(plan.free.quote) - decimal(plan.details.setAside.quote);
    await app.deposit("USDT", -free);
    await app.start(request);
    await app.tick();
    expect(await isStarved(app)).toBe(false);
  });

  it("reserves what the running grid needs", async () => {
    const app = await drivenApp();
    const request = { ...RANGE, useOwnBase: false };
    const { body: plan } = await app.call<PlanOfGrid>("POST", ...previewOf("grid", request));
    await app.start(request);
    const { used } = ofAsset(await planOf(app), "USDT");
    const [need] = (await planOf(app)).needs;
    const running = decimal(need?.quote ?? "0") + decimal(used);
    expect(Number(plan.details.setAside.quote)).toBeCloseTo(Number(text(running)), 0);
  });
});

async function takeOut(app: Driven, over: Readonly<Record<string, string>> = {}) {
  const plan = await planOf(app);
  for (const asset of ["USDT", "BTC"]) {
    const amount = decimal(ofAsset(plan, asset).canWithdraw) + decimal(over[asset] ?? "0");
    if (amount > 0n) await app.deposit(asset, -amount);
  }
}

describe("the withdrawable amount", () => {
  it("is the whole balance of an account on which nothing trades", async () => {
    const app = await drivenApp();
    const { balances, needs, warnings } = await planOf(app);
    expect(balances.length).toBeGreaterThan(2);
    for (const { total, canWithdraw, kept } of balances) expect([canWithdraw, kept]).toEqual([total, "0"]);
    expect([needs, warnings]).toEqual([[], []]);
  });

  it.each([
    ["own base in its sells", {}],
    ["quote alone", { useOwnBase: false }],
    ["base bought at its start", { useOwnBase: false, initialBuy: true }],
  ])("leaves every slot of a grid with %s funded, wherever the price goes", async (_name, over) => {
    const app = await withGrid(over);
    await takeOut(app);
    const { balances } = await planOf(app);
    for (const asset of ["USDT", "BTC"])
      expect(ofAsset({ balances } as Plan, asset)).toMatchObject({ canWithdraw: "0", missing: "0" });
    expect(await isStarved(app)).toBe(false);
  });

  it.each([
    ["USDT", "100"],
    ["BTC", "0.001"],
  ])("is close to the maximum: with %s %s less, a slot waits", async (asset, amount) => {
    const app = await withGrid(
      asset === "BTC" ? { useOwnBase: false, initialBuy: true } : { useOwnBase: false },
    );
    await app.move(0.97);
    for (let at = 0; at < 3; at++) await app.tick(20_000);
    const path = `/strategies/${await app.onlyGrid()}`;
    await app.call("POST", `${path}/pause`, {});
    await app.call("DELETE", "/orders?exchange=kraken");
    await takeOut(app, { [asset]: amount });
    await app.call("POST", `${path}/resume`, {});
    expect(await isStarved(app)).toBe(true);
  });

  it("is listed by what each grid needs, and by what is already missing", async () => {
    const app = await withGrid({ useOwnBase: false });
    const { kept } = ofAsset(await planOf(app), "USDT");
    expect(Number(kept)).toBeGreaterThan(0);
    await app.deposit("USDT", -decimal(ofAsset(await planOf(app), "USDT").canWithdraw) - decimal("50"));
    const plan = await planOf(app);
    expect(ofAsset(plan, "USDT")).toMatchObject({ canWithdraw: "0", missing: "50" });
    const id = await app.onlyGrid();
    expect(plan.needs).toEqual([{ id, name: null, symbol: "BTC/USDT", quote: kept, base: "0" }]);
    await app.call("PATCH", `/strategies/${id}`, { name: "desk" });
    const renamed = await planOf(app);
    expect(renamed.needs).toMatchObject([{ id, name: "desk" }]);
    expect(withdrawView(renamed)).toMatchObject({ "kept for": [{ strategy: `desk (${id})` }] });
    expect(plan.warnings).toEqual([
      {
        code: "funds_missing",
        message: expect.stringMatching(/^the strategies lack 50 USDT: orders will wait/),
      },
    ]);
  });

  it("keeps a centered grid within its shares of the remaining balance", async () => {
    const app = await drivenApp();
    await app.call(
      "POST",
      ...startOf("centered", {
        ...MARKET,
        size: 200,
        confidence: 0,
        useOwnBase: false,
      }),
    );
    await app.tick();
    await takeOut(app);
    expect(Number(ofAsset(await planOf(app), "USDT").canWithdraw)).toBeLessThan(0.01);
    expect(await isStarved(app)).toBe(false);
  });

  it("is a tool that returns it as a sentence", async () => {
    const app = await withGrid();
    const client = await appClient(app, "read");
    await client.listTools();
    const result = await callTool(client, "get_balance", { exchange: "kraken", withdrawable: true });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(textOf(result)).toMatch(/without leaving an order unfunded: .*\d+ of 100000 USDT/);
  });
});

describe("a plan beside another grid that uses the same funds", () => {
  it("reports what is free after the other grid's needs, and warns of what does not fit", async () => {
    const app = await drivenApp();
    await app.deposit("USDT", -decimal("99500"));
    const request = { ...RANGE, gridLevels: 10, orderSize: 49, useOwnBase: false };
    interface Shown {
      readonly free: { readonly quote: string };
      readonly warnings: readonly { readonly code: string; readonly message: string }[];
      readonly sums: { readonly buys: string; readonly sells: string };
    }
    const shown = async () => (await app.call<Shown>("POST", ...previewOf("grid", request))).body;
    const first = await shown();
    expect(first.free.quote).toBe("500");
    expect(Number(first.sums.buys)).toBeGreaterThan(240);
    expect(first.warnings.map(({ code }) => code)).not.toContain("funds_missing");
    await app.start(request);
    await app.tick();
    const second = await shown();
    // What the first has not locked in orders it still needs: nearly nothing is left.
    expect(Number(second.free.quote)).toBeLessThan(10);
    const warning = second.warnings.find(({ code }) => code === "funds_missing");
    expect(warning?.message).toMatch(/besides the [\d.]+ USDT that other strategies need/);
  });
});

describe("an account that also runs quotes", () => {
  const QUOTES = { ...MARKET, spreadPercent: 2, levels: 2, size: 100, baseBudget: 0.5, quoteBudget: 2000 };
  interface Previewed {
    readonly free: { readonly quote: string; readonly base: string };
    readonly orders: readonly { readonly side: string }[];
    readonly warnings: readonly { readonly code: string; readonly message: string }[];
  }
  interface Edited {
    readonly free: Previewed["free"];
    readonly warnings: Previewed["warnings"];
  }
  const quoting = async (app: Driven) => {
    const { body } = await app.call<{ readonly id: string }>("POST", ...startOf("quote", QUOTES));
    await app.tick();
    return body.id;
  };

  it("reserves what the quotes can use, and releases it when they are stopped", async () => {
    const app = await drivenApp();
    const id = await quoting(app);
    const plan = await planOf(app);
    expect(plan.needs.map((one) => one.id)).toEqual([id]);
    expect(ofAsset(plan, "BTC")).toMatchObject({ total: "2", canWithdraw: "1.5", missing: "0" });
    // Their orders lock fees beside their notional.
    expect(Number(ofAsset(plan, "USDT").canWithdraw)).toBeCloseTo(98_000, -1);
    await app.call("DELETE", "/strategy/grid", { id });
    expect(ofAsset(await planOf(app), "USDT")).toMatchObject({ kept: "0", missing: "0" });
  });

  it("reports to a grid what is free, and gives it no base of the quotes", async () => {
    const app = await drivenApp();
    await quoting(app);
    await app.deposit("USDT", -decimal("97000"));
    const request = { ...RANGE, gridLevels: 10, orderSize: 200 };
    const { free, warnings } = (await app.call<Previewed>("POST", ...previewOf("grid", request))).body;
    expect(Number(free.quote)).toBeCloseTo(1000, -1);
    expect(Number(free.base)).toBeCloseTo(1.5);
    const beside = /besides the [\d.]+ USDT that other strategies need/;
    expect(warnings.find(({ code }) => code === "funds_missing")?.message).toMatch(beside);
  });

  it("reports to a changed grid what the quotes and another grid leave free", async () => {
    const app = await drivenApp();
    const { id } = await app.start({ ...RANGE, gridLevels: 10, orderSize: 50, useOwnBase: false });
    await app.tick();
    const ofEdit = async () => {
      const request = { orderSize: 200 };
      const { body } = await app.call<Edited>("POST", `/strategies/${id}/preview`, { config: request });
      return {
        free: Number(body.free.quote),
        warning: body.warnings.find(({ code }) => code === "funds_missing"),
      };
    };
    const alone = await ofEdit();
    expect(alone).toMatchObject({ free: expect.closeTo(100_000, -1), warning: undefined });
    await quoting(app);
    expect((await ofEdit()).free).toBeCloseTo(98_000, -1);
    await app.start({ ...RANGE, useOwnBase: false });
    await app.tick();
    expect((await ofEdit()).free).toBeCloseTo(98_000 - 1200, -2);
    await app.deposit("USDT", -decimal("96500"));
    const beside = /^the buys need [\d.]+ USDT and [\d.]+ USDT are free besides the [\d.]+ USDT that other/;
    expect((await ofEdit()).warning?.message).toMatch(beside);
  });

  it("reports to quotes what a grid leaves free", async () => {
    const app = await withGrid({ useOwnBase: false, gridLevels: 10 });
    await app.deposit("USDT", -decimal(ofAsset(await planOf(app), "USDT").canWithdraw) + decimal("150"));
    const { orders, warnings } = (await app.call<Previewed>("POST", ...previewOf("quote", QUOTES))).body;
    expect(warnings.find(({ code }) => code === "funds_missing")?.message).toMatch(
      /^its budget is 2000 USDT, but 150 USDT are free/,
    );
    expect(orders.filter(({ side }) => side === "buy")).toHaveLength(2);
  });
});
