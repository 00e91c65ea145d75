import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gridKind } from "../../src/grid/kind.ts";
import { decimal, mul, sum, text } from "../../src/kernel/decimal.ts";
import type { PlanAnswer } from "../../src/lifecycle/plan.ts";
import { planText } from "../../src/lifecycle/plan-view.ts";
import { quoteKind } from "../../src/quote/kind.ts";
import { drivenApp } from "../support/driven.ts";
import { appClient, callTool, textOf } from "../support/mcp.ts";
import { pageText } from "../support/page-html.ts";
import { previewOf, starts } from "../support/starts.ts";

interface Proposal {
  readonly preview: { readonly what: string; readonly cost: string; readonly limits: readonly string[] };
}

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const CALM = { ...MARKET, allowLoss: true };
const ranges = fc.record({
  lowerPrice: fc.integer({ min: 40_000, max: 59_000 }),
  upperPrice: fc.integer({ min: 61_500, max: 90_000 }),
  gridLevels: fc.integer({ min: 2, max: 14 }),
  orderSize: fc.integer({ min: 50, max: 3000 }),
  initialBuy: fc.boolean(),
  useOwnBase: fc.boolean(),
  killed: fc.boolean(),
});
const centered = fc.record({
  levels: fc.integer({ min: 1, max: 6 }),
  size: fc.integer({ min: 50, max: 3000 }),
  initialBuy: fc.boolean(),
  useOwnBase: fc.boolean(),
  killed: fc.boolean(),
});

async function started() {
  const app = await drivenApp({ mcp: { trading: true, confirm: "plan" } });
  const client = await appClient(app, "trade");
  await client.listTools();
  const kill = (on: boolean) => app.call("POST", "/kill", { on });
  const propose = async (tool: string, input: object) => {
    const result = await callTool(client, tool, { ...input });
    expect(result.isError, textOf(result)).toBeFalsy();
    return (result.structuredContent as unknown as Proposal).preview;
  };
  return { ...app, kill, propose };
}

/** A number as a person reads it: in the terminal, on the page, in text for agents. */
const figure = (written: string | undefined): number => Number((written ?? "0").replaceAll(",", ""));
const near = (shown: string | undefined, exact: bigint, what: string) =>
  expect(
    Math.abs(figure(shown) - Number(text(exact))),
    `${what}: ${shown} for ${text(exact)}`,
  ).toBeLessThanOrEqual(Math.max(0.006, Number(text(exact)) * 0.0006));

type Orders = readonly {
  readonly side: string;
  readonly price: string;
  readonly amount: string;
}[];
const worthOf = (orders: Orders): bigint =>
  sum(orders.map(({ price, amount }) => mul(decimal(price), decimal(amount), "up")));

async function sameOnAllSurfaces(
  app: Awaited<ReturnType<typeof started>>,
  kind: "grid" | "centered",
  body: object,
) {
  const request = { ...CALM, ...body };
  const { status, body: plan } = await app.call<PlanAnswer>("POST", ...previewOf(kind, request));
  if (status !== 200) return false;
  const { orders, sums } = plan;
  const of = (side: string) => orders.filter((one) => one.side === side);
  const initial = orders.filter(({ crosses }) => crosses);
  const [buys, sells] = [worthOf(of("buy")), worthOf(of("sell"))];
  const base = sum(of("sell").map(({ amount }) => decimal(amount)));
  expect(sums).toEqual({
    buys: text(buys),
    atOnce: text(worthOf(initial)),
    sells: text(sells),
    base: text(base),
  });

  const terminal = planText(plan, gridKind);
  const [, all, inBuys, , first, inSells] =
    /^([\d.]+) USDT: ([\d.]+) in buys( \(([\d.]+) of it at once\))?, ([\d.]+) in sells$/.exec(
      terminal.sum ?? "",
    ) ?? [];
  near(all, buys + sells, "terminal");
  near(inBuys, buys, "terminal buys");
  near(first, worthOf(initial), "terminal initial");
  near(inSells, sells, "terminal sells");
  const counted = (side: string) =>
    figure(new RegExp(`(\\d+) ${side}s? at`).exec(terminal.orders ?? "")?.[1]);
  expect([counted("buy"), counted("sell")]).toEqual([of("buy").length - initial.length, of("sell").length]);
  expect(terminal.orders?.startsWith("a buy of")).toBe(initial.length === 1);

  const html = await pageText("strategy/plan.tsx", "PlanShown", { planned: plan });
  const stat = (name: string) => new RegExp(`\n${name}\t([\\d.,]+)`).exec(html)?.[1];
  near(stat("Now, in buys"), buys, "page buys");
  near(stat("Of that, at once"), worthOf(initial), "page initial");
  near(stat("Own base in sells"), base, "page base");
  const rows = [...html.matchAll(/\n([^\t\n]+)\t(buy|sell)\t(up to )?([\d.,]+)\t([\d.,]+)\t/g)];
  expect(rows.length).toBe(orders.length);
  expect(rows.map(([, , side, crosses]) => `${side} ${crosses !== undefined}`).toSorted()).toEqual(
    orders.map(({ side, crosses }) => `${side} ${crosses}`).toSorted(),
  );
  if (initial.length > 0) expect(rows[0]?.[1]).toBe("Initial buy, at once");
  const said = await pageText("strategy/plan.tsx", "StartSays", { planned: plan });
  expect(figure(/(\d+) orders? (is|are) placed now/.exec(said)?.[1])).toBe(orders.length);
  near(/placed now: ([\d.,]+) USDT in buys/.exec(said)?.[1], buys, "confirmation buys");
  near(/of which ([\d.,]+) USDT/.exec(said)?.[1], worthOf(initial), "confirmation initial");
  near(/and ([\d.,]+) BTC of your own/.exec(said)?.[1], base, "confirmation base");

  const { what, cost } = await app.propose(...starts(kind, request));
  const agents =
    /: (a buy of [\d.]+ BTC at up to [\d.]+ USDT at once, )?(\d+) buys? and (\d+) sells? now/.exec(what);
  expect(agents?.[1] !== undefined).toBe(initial.length === 1);
  expect([figure(agents?.[2]), figure(agents?.[3])]).toEqual([
    of("buy").length - initial.length,
    of("sell").length,
  ]);
  near(/^([\d.]+) USDT in buys/.exec(cost)?.[1], buys, "agents buys");
  near(/\(([\d.]+) of it at once\)/.exec(cost)?.[1], worthOf(initial), "agents initial");
  near(/and ([\d.]+) BTC that you/.exec(cost)?.[1], base, "agents base");
  return true;
}

describe("a plan", () => {
  it.each([
    ["grid" as const, ranges],
    ["centered" as const, centered],
  ])(
    "names the same orders and sums in JSON, terminal, page and text for agents: %s",
    async (kind, drawn) => {
      const app = await started();
      let compared = 0;
      await fc.assert(
        fc.asyncProperty(drawn as fc.Arbitrary<{ killed: boolean }>, async ({ killed, ...body }) => {
          await app.kill(killed);
          if (await sameOnAllSurfaces(app, kind, body)) compared++;
        }),
        { numRuns: 25, seed: 53 },
      );
      expect(compared).toBeGreaterThan(15);
    },
  );

  it.each([true, false])("places nothing while the kill switch is on: %s", async (killed) => {
    const app = await started();
    await app.kill(killed);
    const grid = {
      ...CALM,
      lowerPrice: 57_000,
      upperPrice: 63_000,
      gridLevels: 6,
      orderSize: 200,
      initialBuy: true,
    };
    const { body } = await app.call<PlanAnswer>(
      "POST",
      ...previewOf("grid", {
        ...grid,
        useOwnBase: false,
      }),
    );
    expect(body.orders.length > 0).toBe(!killed);
    expect(Number(body.sums.buys) > 0).toBe(!killed);
    const quotes = { ...MARKET, spreadPercent: 2, depth: 500, withinPercent: 1.7, levels: 3 };
    const { body: quoted } = await app.call<PlanAnswer>("POST", ...previewOf("quote", quotes));
    expect(quoted.orders.length).toBe(killed ? 0 : 6);
    expect(quoted.refused.map(({ reason }) => reason)).toEqual(killed ? Array(6).fill("killed") : []);
    const { bids = "", asks = "" } = planText(quoted, quoteKind);
    for (const side of [bids, asks]) expect(side === "no open orders").toBe(killed);
    const html = await pageText("strategy/plan.tsx", "PlanShown", { planned: quoted });
    expect([...html.matchAll(/\t(buy|sell)\t/g)].length).toBe(quoted.orders.length);
    const { what } = await app.propose(...starts("quote", quotes));
    expect(what).toContain(killed ? ": 0 buys and 0 sells now" : ": 3 buys and 3 sells now");
  });
});
