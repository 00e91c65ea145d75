import { describe, expect, it } from "vitest";
import { decimal, wire } from "../../src/kernel/decimal.ts";
import type { PlanOfGrid } from "../../src/web/types.ts";
import { gridOver } from "../support/path.ts";
import { previews, starts } from "../support/starts.ts";
import { isWhole } from "../support/whole.ts";

const RANGE = { lowerPrice: 90, upperPrice: 110, gridLevels: 10, orderSize: 50 };

/** What is left of a price after a minute of the fall. */
const FALLS = isWhole ? 0.999 : 0.994;

/** Up and down in the range, then down to a price, little by little. */
function pathTo(price: number, seed: number): number[] {
  const path = [100];
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  for (let i = 0; i < 40; i++) path.push(Math.min(113, Math.max(91, (path.at(-1) as number) + 3 * next())));
  while ((path.at(-1) as number) * FALLS > price) path.push((path.at(-1) as number) * FALLS);
  return [...path, ...Array.from({ length: 6 }, () => price)];
}

const lossAt = ({ losses }: PlanOfGrid, price: number): number =>
  Number(losses.find((one) => one.price === String(price))?.loss);

/** Worth of the account at a price, before and after. */
async function lostOn(path: number[], input: object, funds: { quote: string; base?: string }) {
  const grid = await gridOver(path, funds);
  const request = { ...grid.where, ...RANGE, ...input };
  const plan = await grid.ask<PlanOfGrid>(...previews("grid", request));
  const before = await grid.worth(decimal("100"));
  await grid.ask("start_grid", request);
  await grid.pass(path.length);
  const after = await grid.worth(decimal(String(path.at(-1))));
  return { plan, lost: wire(before - after), status: await grid.status() };
}

describe("the possible loss in a plan", () => {
  const ways = [
    ["buying on the way down", {}, { quote: "1000" }],
    // 4.5 coins lie in the selling slots' first orders at most, and nothing else is on the account.
    ["with own base", {}, { quote: "1000", base: "2.3" }],
    ["with base bought at the start", { initialBuy: true }, { quote: "1000" }],
    ["following the market up", { trail: { up: 120 } }, { quote: "1000" }],
  ] as const;
  it.each(ways)(
    "is never less than the loss of a fall to the lowest level, %s",
    async (_name, input, funds) => {
      for (const seed of isWhole ? [1, 2, 3] : [1]) {
        const { plan, lost } = await lostOn(pathTo(90, seed), input, funds);
        // The base that the grid has left alone is none of its.
        expect(lost, `seed ${seed}`).toBeLessThanOrEqual(lossAt(plan, 90));
        expect(lost, "and nearly as much: it is no figure that is always right").toBeGreaterThan(0);
      }
    },
  );

  it("is the cost of a stop price, including fees of the sale", async () => {
    const { plan, lost, status } = await lostOn(pathTo(85, 1), { stopLossPrice: 85.02 }, { quote: "1000" });
    expect(status).toMatchObject({ status: "stopped" });
    // It is sold at the bid, a tick or two below the price that it stops at.
    expect(lost).toBeLessThanOrEqual(lossAt(plan, 85.02) + 0.15);
    expect(lost).toBeGreaterThan(0.2 * lossAt(plan, 85.02));
  });

  it("is everything that is bought, at a price of zero", async () => {
    const { plan } = await lostOn(pathTo(90, 1), {}, { quote: "1000" });
    expect(lossAt(plan, 0)).toBeGreaterThan(Number(plan.uses.quote) * 0.99);
    expect(lossAt(plan, 0)).toBeLessThanOrEqual(Number(plan.uses.quote));
  });

  it("counts every level that a trailing grid can move down to", async () => {
    const { plan, lost } = await lostOn(pathTo(70, 1), { trail: { down: 70 } }, { quote: "5000" });
    expect(lost).toBeLessThanOrEqual(lossAt(plan, 70));
    expect(lost).toBeGreaterThan(0.5 * lossAt(plan, 70));
  });

  it("is all quote of the account if a centered grid follows the market down", async () => {
    const path = pathTo(65, 1);
    const grid = await gridOver(path, { quote: "5000" });
    const request = { ...grid.where, size: 100 };
    const plan = await grid.ask<PlanOfGrid>(...previews("centered", request));
    const kept = await grid.ask<PlanOfGrid>(...previews("centered", { ...request, maxPosition: 0.3 }));
    expect(Number(kept.uses.quote)).toBe(1500);
    await grid.ask(...starts("centered", request));
    await grid.pass(path.length);
    const { position, averageCost } = (await grid.status()) as unknown as Record<string, number>;
    // Ten slots of 100 were shown as the most it could use.
    expect(Number(position) * Number(averageCost)).toBeGreaterThan(1001);
    // A fifth stays in reserve when nothing else is asked for.
    expect(Number(plan.uses.quote)).toBe(4000);
    expect(plan.losses).toEqual([{ price: "0", loss: "4000" }]);
  });
});

describe("the funds that a plan requires", () => {
  it("are enough for every slot's next buy after its first sell", async () => {
    const path = [
      ...Array.from({ length: 20 }, (_, i) => 100 + i),
      ...Array.from({ length: 40 }, (_, i) => 119 - i),
    ];
    const probe = await gridOver(path, { quote: "1000", base: "3" });
    const request = { ...probe.where, ...RANGE };
    const { details } = await probe.ask<PlanOfGrid>(...previews("grid", request));
    const grid = await gridOver(path, details.setAside);
    const exact = await grid.ask<PlanOfGrid>(...previews("grid", request));
    expect(exact.warnings.map(({ code }) => code)).toEqual(["own_base_used"]);
    await grid.ask("start_grid", request);
    const missing = new Set<string>();
    await grid.pass(path.length, async () => {
      for (const { reason } of (await grid.status()).refused) missing.add(reason);
    });
    expect([...missing]).toEqual([]);
  });

  it("are reported if the account has less, with how many orders are placed first", async () => {
    const grid = await gridOver([100, 100, 100], { quote: "120" });
    const { warnings } = await grid.ask<PlanOfGrid>(...previews("grid", { ...grid.where, ...RANGE }));
    expect(warnings).toEqual([
      {
        code: "funds_missing",
        message: expect.stringMatching(
          /^the buys need 500\.5 USDT and 120 USDT are free: 2 of 10 orders are placed first$/,
        ),
      },
    ]);
  });
});
