import { describe, expect, it } from "vitest";
import { decimal, wire } from "../../src/kernel/decimal.ts";
import { gridOver, type Status } from "../support/path.ts";
import { starts } from "../support/starts.ts";
import { most } from "../support/whole.ts";

/** So many minutes of a sine around 100. */
const sine = (minutes: number, share: number, period: number): number[] =>
  Array.from({ length: minutes }, (_, i) => 100 * (1 + share * Math.sin((2 * Math.PI * i) / period)));

/** A day, or a quarter of one. */
const HOURS = most(24, 6);
/** A fall's share of the price each minute. */
const PACE = most(0.0005, 0.003);

/** From 100 to 70 and back. */
const fall = (): number[] => {
  const down = [100];
  while ((down.at(-1) as number) > 70) down.push((down.at(-1) as number) * (1 - PACE));
  return [...down, ...[...down].reverse()];
};

describe("the default centered grid", () => {
  it("fills on a 4 % sine over four hours without replacing its orders repeatedly", async () => {
    const grid = await gridOver(sine(HOURS * 60 + 5, 0.04, 240), { quote: "1000", base: "10" });
    await grid.ask(...starts("centered", grid.where));
    await grid.pass(HOURS * 60);
    const { filledOrders, status, lastError } = await grid.status();
    expect({ status, lastError }).toEqual({ status: "running", lastError: null });
    expect(filledOrders).toBeGreaterThanOrEqual(HOURS - 4);
    expect(grid.placed()).toBeLessThan(4 * (HOURS + 1));
  });

  it("survives a fall of 30 % and the recovery without an error or a silent gap", async () => {
    const path = fall();
    const grid = await gridOver(path, { quote: "1000" });
    await grid.ask(...starts("centered", grid.where));
    const before = await grid.worth(decimal("100"));
    const bottom = Math.floor(path.length / 2);
    const observed = new Set<string>();
    const silent: number[] = [];
    let minute = 0;
    const watch = async () => {
      minute++;
      if (minute % 5 !== 0) return;
      const { status, openOrders, refused, notices, phase } = await grid.status();
      observed.add(status);
      if (openOrders === 0 && refused.length + notices.length === 0 && phase === "active")
        silent.push(minute);
    };
    await grid.pass(bottom, watch);
    const low = await grid.status();
    expect(low.breakEvenPrice).toBeGreaterThan(70);
    expect(low.openOrders + low.refused.length).toBe(10);
    await grid.pass(path.length - bottom, watch);
    const end = await grid.status();
    const after = await grid.worth(decimal("100"));
    console.log(
      `fall and recovery: at the bottom ${low.openOrders} orders rest, ${low.refused.length} slots refused (${[...new Set(low.refused.map(({ reason }) => reason))].join(", ")}), break-even ${low.breakEvenPrice}; at the end equity ${wire(after)} of ${wire(before)}, realized ${end.profit}`,
    );
    expect([...observed]).toEqual(["running"]);
    expect(silent).toEqual([]);
    expect(end.profit).toBeGreaterThan(0);
    expect(after).toBeGreaterThan(before);
  });

  it("sells all its base at the bottom on request", async () => {
    const path = fall();
    const grid = await gridOver(path, { quote: "1000" });
    const { id } = await grid.ask<{ id: string }>(...starts("centered", grid.where));
    await grid.pass(Math.floor(0.7 * Math.floor(path.length / 2)));
    expect(Number((await grid.status()).position)).toBeGreaterThan(0);
    await grid.ask("stop_strategy", { id, sellBase: true });
    await grid.pass(12);
    await expectGone(grid);
  });
});

async function expectGone(grid: Awaited<ReturnType<typeof gridOver>>): Promise<Status> {
  const status = await grid.status();
  expect({ status: status.status, phase: status.phase }).toEqual({ status: "stopped", phase: "done" });
  expect(await grid.gate.openOrders()).toEqual([]);
  // What is below the least order stays, and status names it.
  const left = (await grid.gate.balances()).find(({ asset }) => asset === "ETH");
  expect(wire(left?.free ?? 0n)).toBe(Number(status.position));
  expect(Number(status.position) * 70).toBeLessThan(5);
  return status;
}

/** Runs a pass while the bid is half of the price. */
async function passWithoutBid({ gate, pass }: Awaited<ReturnType<typeof gridOver>>): Promise<void> {
  const { ticker } = gate;
  const pulled = async (symbol: "ETH/USDT") => {
    const quote = await ticker(symbol);
    return { ...quote, bid: quote.bid / 2n };
  };
  Object.assign(gate, { ticker: pulled });
  await pass(1);
  Object.assign(gate, { ticker });
}

const RANGE = { lowerPrice: 90, upperPrice: 110, gridLevels: 10, orderSize: 80 };

describe("a stop price", () => {
  it("sells all base in a crash where the bid falls 3 % a minute", async () => {
    const crash = [100, 100, 100, 98, 96, 94, 92];
    for (let price = 92 * 0.97; crash.length < 40; price *= 0.97) crash.push(price);
    const grid = await gridOver(crash, { quote: "1000" });
    await grid.ask("start_grid", { ...grid.where, ...RANGE, stopLossPrice: 88 });
    await grid.pass(30);
    await expectGone(grid);
  });

  it("is not triggered when the bid disappears from the book for one pass", async () => {
    const grid = await gridOver(
      Array.from({ length: 60 }, () => 100),
      { quote: "1000" },
    );
    await grid.ask("start_grid", { ...grid.where, ...RANGE, stopLossPrice: 85, trail: { down: 70 } });
    await grid.pass(3);
    const orders = await grid.gate.openOrders();
    await passWithoutBid(grid);
    await grid.pass(5);
    const { status, phase } = await grid.status();
    expect({ status, phase }).toEqual({ status: "running", phase: "active" });
    expect(await grid.gate.openOrders()).toEqual(orders);
  });
});

describe("a trigger price", () => {
  it("is not reached when the bid disappears from the book for one pass", async () => {
    const grid = await gridOver(
      Array.from({ length: 60 }, () => 100),
      { quote: "1000", base: "10" },
    );
    await grid.ask("start_grid", { ...grid.where, ...RANGE, triggerPrice: 80 });
    await grid.pass(2);
    await passWithoutBid(grid);
    const { notices: during } = await grid.status();
    await grid.pass(3);
    const { status, position, notices } = await grid.status();
    expect({ status, position }).toEqual({ status: "idle", position: "0" });
    expect(await grid.gate.openOrders()).toEqual([]);
    expect(during.map(({ code }) => code)).toEqual(["wide_spread"]);
    expect(notices).toEqual([]);
  });
});
