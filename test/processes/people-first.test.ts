import { expect, it, onTestFinished } from "vitest";
import { eventually, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

const BY_HAND = { symbol: "BTC/USDT", side: "buy", type: "limit", amount: 0.001, price: 50_000 };
const GRID = {
  symbol: "BTC/USDT",
  lowerPrice: 30_000,
  upperPrice: 90_000,
  gridLevels: 60,
  orderSize: 60,
};
/** A pass that places the whole grid takes longer than a person's call waits. */
const SLOW = 600;

it("a person's cancel goes before the rest of another server's pass on kraken", async () => {
  const venue = await startVenue("kraken", { tier: "pro" });
  onTestFinished(async () => void (await venue.close()));
  const folder = tempFolder();
  const settings = {
    KRAKEN_API_KEY: venue.keys.key,
    KRAKEN_SECRET: venue.keys.secret,
    EDGEMAKER_TIERS: "kraken=pro",
  };
  const at = ["--venue-url", `kraken=${venue.url}`];
  const stepping = await serve(folder, [...at, "--tick-interval", "1000"], settings);
  const other = await serve(folder, [...at, "--tick-interval", "3600000"], settings);
  const send = (server: typeof other, method: string, path: string, body?: object) =>
    server.ask(`/api/v1${path}`, {
      method,
      ...(body ? { body: JSON.stringify({ exchange: "kraken", ...body }) } : {}),
    });
  const placed = await (await send(other, "POST", "/orders", BY_HAND)).json();
  venue.latency.before = SLOW;
  const starting = send(stepping, "POST", "/strategy/grid", GRID);
  await eventually(
    async () => venue.count("create"),
    (count) => count > 3,
  );

  const answer = await send(other, "DELETE", `/orders/${placed.order.id}?exchange=kraken&symbol=BTC/USDT`);
  expect({ status: answer.status, ...(await answer.json()) }).toMatchObject({ status: 200 });
  expect(venue.order(placed.order.id)?.status).toBe("canceled");
  expect(venue.open().length).toBeLessThan(GRID.gridLevels);

  venue.latency.before = 0;
  expect((await starting).status).toBe(200);
  await eventually(
    async () => venue.open().length,
    (count) => count === GRID.gridLevels,
  );
  expect(venue.limited).toEqual([]);
});
