import { expect, it, onTestFinished } from "vitest";
import { edgemaker, eventually, serve } from "../support/command.ts";
import { orderRequest } from "../support/requests.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

it("a server trades at --venue-url and resolves a lost response by its own timer", async () => {
  const venue = await startVenue("kraken");
  onTestFinished(async () => void (await venue.close()));
  const folder = tempFolder();
  const keys = { KRAKEN_API_KEY: venue.keys.key, KRAKEN_SECRET: venue.keys.secret };
  const server = await serve(folder, ["--venue-url", `kraken=${venue.url}`, "--tick-interval", "200"], keys);
  const order = orderRequest();
  venue.fail({ kind: "drop", route: "create", acts: true });
  const answer = await server.ask("/api/v1/orders", { method: "POST", body: JSON.stringify(order) });
  expect(answer.status).toBe(500);
  const { clientOrderId } = await answer.json();
  const listed = await eventually(
    async () => (await server.ask("/api/v1/orders?exchange=kraken&symbol=BTC/USDT")).json(),
    ({ count }) => count === 1,
  );
  expect(listed.orders[0]).toMatchObject({ clientOrderId, status: "open" });
  expect(venue.orders()).toHaveLength(1);
  const ticker = await edgemaker(
    folder,
    ["ticker", "--exchange", "kraken", "--symbol", "BTC/USDT", "--json"],
    { EDGEMAKER_VENUE_URLS: `kraken=${venue.url}` },
  );
  expect(JSON.parse(ticker.stdout)).toMatchObject({ exchange: "kraken", bid: 59997, ask: 60003 });
});
