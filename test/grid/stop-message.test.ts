import { expect, it } from "vitest";
import { gridKind } from "../../src/grid/kind.ts";
import { decimal, wire } from "../../src/kernel/decimal.ts";
import { describeStopResult } from "../../src/lifecycle/result.ts";
import type { Kind } from "../../src/ports/kind.ts";
import { gridOver } from "../support/path.ts";

interface Stopped {
  readonly message: string;
  readonly summary: {
    readonly profit: number;
    readonly totalProfit: number;
    readonly base: string;
    readonly baseWorth: number;
  };
}

const RANGE = { lowerPrice: 90, upperPrice: 110, gridLevels: 10, orderSize: 50 };

it("a stop reports the total profit, and the value of the base that stays", async () => {
  // A cycle earns on the way, and then the price falls.
  const path = [100, 97, 101, ...Array.from({ length: 25 }, (_, i) => 100 - i), 76, 76];
  const grid = await gridOver(path, { quote: "1000" });
  const before = await grid.worth(decimal("100"));
  const { id } = await grid.ask<{ id: string }>("start_grid", { ...grid.where, ...RANGE });
  await grid.pass(path.length);
  const { message, summary } = await grid.ask<Stopped>("stop_strategy", { id });
  const { base, baseWorth, profit, totalProfit } = summary;
  const mark = baseWorth / Number(base);
  const after = await grid.worth(decimal(mark.toFixed(6)));
  expect(mark).toBeCloseTo(76, 1);
  expect(profit).toBeGreaterThan(0);
  expect(totalProfit).toBeCloseTo(wire(after - before), 3);
  expect(totalProfit).toBeLessThan(-30);
  const cents = (value: number) => value.toFixed(2).replace(/\.?0+$/, "");
  expect(message).toBe(
    `${id} is stopped and has no orders left; total ${cents(totalProfit)} USDT, of which ${cents(profit)} realized; ${base} ETH stay in the account, worth ${cents(baseWorth)} USDT at ${Number(mark.toFixed(6))}`,
  );
});

it("a stop that sells reports that the base is being sold, until it has finished", async () => {
  const grid = await gridOver([100, 97, 97, 96, 96, 96, 96, 96], { quote: "1000" });
  const { id } = await grid.ask<{ id: string }>("start_grid", { ...grid.where, ...RANGE });
  await grid.pass(5);
  const [view] = await grid.store.strategies({ id });
  if (!view) throw new Error("the grid is not stored");
  const during = (over: object) =>
    describeStopResult(
      grid.deps,
      { ...view, kind: gridKind as unknown as Kind, strategy: { ...view.strategy, wants: "stop", ...over } },
      undefined,
    );
  expect(during({ sellBase: true })).toMatch(
    /is stopping.*; the next passes finish the stop; .* ETH are being sold, worth [\d.]+ USDT/,
  );
  expect(during({ sellBase: false })).toMatch(/ ETH stay in the account, worth /);
  expect(during({ sellBase: true, status: "stopped" })).toMatch(/ ETH stay in the account, worth /);
});
