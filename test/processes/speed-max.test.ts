import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { HOUR, MINUTE } from "../../src/kernel/time.ts";
import { edgemaker, serve } from "../support/command.ts";
import { gridRequest } from "../support/requests.ts";
import { swingsCsv } from "../support/swings.ts";
import { tempFolder } from "../support/temp.ts";

const ORIGIN = "2026-01-01T00:00:00Z";
const FIRST = Date.parse(ORIGIN);
const TICKER = ["ticker", "--exchange", "kraken", "--symbol", "BTC/USDT", "--sandbox", "--json"];
const GRID = gridRequest();
const CANDLES = 8 * 60;
const PASSES = ["--sandbox", "--speed", "max", "--tick-interval", String(MINUTE)];

type Server = Awaited<ReturnType<typeof serve>>;

const marketTime = async (server: Server) =>
  (
    (await (await server.ask("/api/v1/ticker?exchange=kraken&symbol=BTC/USDT")).json()) as {
      timestamp: number;
    }
  ).timestamp;
const grid = async (server: Server) => {
  const { strategies } = (await (await server.ask("/api/v1/strategy/grid/status")).json()) as {
    strategies: { id: string; filledOrders: number; lastError: string | null }[];
  };
  return strategies[0];
};

it("passes follow at once, and each advances by one interval until the replay ends", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "swings.csv"), swingsCsv(CANDLES));
  const args = [...PASSES, "--replay", "swings.csv"];
  const server = await serve(folder, args);
  expect(await marketTime(server)).toBe(FIRST);
  const started = await server.ask("/api/v1/strategy/grid", { method: "POST", body: JSON.stringify(GRID) });
  expect(started.status).toBe(200);

  await expect.poll(() => marketTime(server)).toBeGreaterThanOrEqual(FIRST + 2 * HOUR);
  // Whoever else looks sees the same clock: whole minutes, however often it is asked.
  const beside = JSON.parse((await edgemaker(folder, TICKER)).stdout) as { timestamp: number };
  expect(beside.timestamp - FIRST).toBeGreaterThanOrEqual(2 * HOUR);
  expect(beside.timestamp % MINUTE).toBe(0);
  await server.kill("SIGTERM");

  const again = await serve(folder, args);
  expect(await marketTime(again)).toBeGreaterThanOrEqual(beside.timestamp);
  await expect.poll(() => marketTime(again)).toBe(FIRST + CANDLES * MINUTE);
  // In each of twelve swings of forty minutes the price goes up and down through four levels.
  await expect.poll(async () => (await grid(again))?.filledOrders).toBeGreaterThan(60);
  expect(await grid(again)).toMatchObject({ lastError: null });
  expect(await marketTime(again)).toBe(FIRST + CANDLES * MINUTE);
});
