import { expect, it } from "vitest";
import { eventNews } from "../../src/notify/news.ts";
import { gridOver } from "../support/path.ts";
import { starts } from "../support/starts.ts";

interface Event {
  readonly id: number;
  readonly kind: string;
  readonly message: string;
}

/** What is told of a grid that follows this path, oldest first. */
async function readOutput(
  path: readonly number[],
  start: string,
  request: object,
): Promise<readonly string[]> {
  const grid = await gridOver([...path], { quote: "5000" });
  const { id } = await grid.ask<{ id: string }>(start, { ...grid.where, ...request });
  await grid.pass(path.length);
  const { events } = await grid.ask<{ events: readonly Event[] }>("get_strategy_events", { id });
  const moved = events.filter(({ kind }) => kind === "moved").reverse();
  for (const { message } of moved)
    expect(eventNews({ id: 1, account: "", strategy: id, at: 0, kind: "moved", message })).toMatchObject({
      level: "info",
      text: `${id}: ${message}`,
    });
  return moved.map(({ message }) => message);
}

const RANGE = { lowerPrice: 90, upperPrice: 110, gridLevels: 10, orderSize: 50 };

it("a grid that follows the market reports each step and its current position", async () => {
  const up = [100, 105, 111, 113, 113, 113, 115, 115, 115, 115, 115];
  expect(await readOutput(up, "start_grid", { ...RANGE, trail: { up: 114 } })).toEqual([
    "followed the market up: now from 92 to 112",
    "followed the market up: now from 94 to 114",
  ]);
  const down = [100, 95, 89, 87, 87, 87, 87, 87, 87];
  expect(await readOutput(down, "start_grid", { ...RANGE, trail: { down: 88 } })).toEqual([
    "followed the market down: now from 88 to 108",
  ]);
});

it("a rebuilt grid reports the rebuild and its current position", async () => {
  const path = [100, 100, 110, 110, 110, 110, 110, 110, 110];
  const around = { levels: 3, spacing: 0.01, size: 50, deviation: 0.02, debounce: 60_000 };
  const [first, ...more] = await readOutput(path, ...starts("centered", around));
  expect(more).toEqual([]);
  const [, low, high] = /^rebuilt around the market: now from ([\d.]+) to ([\d.]+)$/.exec(first ?? "") ?? [];
  expect([Number(low), Number(high)].map(Math.round)).toEqual([107, 113]);
});

it("a grid that does not move reports nothing", async () => {
  expect(await readOutput([100, 97, 93, 97, 100, 104, 100], "start_grid", RANGE)).toEqual([]);
});
