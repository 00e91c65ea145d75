import { expect, it } from "vitest";
import { DAY } from "../../src/kernel/time.ts";
import { eventually, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const GRID = { ...MARKET, lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 4, orderSize: 100 };

it("a server steps its grids and answers while it looks for another one", async () => {
  const server = await serve(tempFolder(), ["--sandbox", "--tick-interval", "50"]);
  const post = (path: string, body: object) =>
    server.ask(`/api/v1/strategy/grid${path}`, { method: "POST", body: JSON.stringify(body) });
  expect((await post("", GRID)).status).toBe(200);
  const steppedAt = async () => {
    const status = await (await server.ask("/api/v1/strategy/grid/status")).json();
    return (status as { strategies: { lastStepAt: number | null }[] }).strategies[0]?.lastStepAt ?? null;
  };
  await eventually(steppedAt, (at) => at !== null);

  let isOver = false;
  const asked = post("/suggest", {
    ...MARKET,
    budget: 1000,
    since: Date.now() - 15 * DAY,
    seconds: 3,
  }).finally(() => {
    isOver = true;
  });
  const seen = new Set<number | null>();
  while (!isOver) seen.add(await steppedAt());
  expect((await asked).status).toBe(200);
  // Before it begins and after it ends there is a pass or two; between slices there are many.
  expect(seen.size).toBeGreaterThan(5);
});
