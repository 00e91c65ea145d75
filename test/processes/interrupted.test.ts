/** A real server whose process, network, exchange, clock and keys fail one after another, with fills meanwhile. */
import { expect, it, onTestFinished } from "vitest";
import { eventually, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

const GRID = { symbol: "BTC/USDT", lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 6, orderSize: 60 };
/** How long a fault lasts. */
const FOR = 1500;
/** How long the process stands still; a trial of minutes sets it. */
const STOPPED_FOR = Number(process.env.STOPPED_FOR ?? FOR);
const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

it("loses and doubles no order through interruptions", async () => {
  const name = "mexc";
  const venue = await startVenue(name);
  onTestFinished(async () => void (await venue.close()));
  const keys = { MEXC_API_KEY: venue.keys.key, MEXC_SECRET: venue.keys.secret };
  const args = ["--venue-url", `${name}=${venue.url}`, "--tick-interval", "1000"];
  const server = await serve(tempFolder(), args, keys);
  const body = JSON.stringify({ exchange: name, ...GRID });
  expect((await server.ask("/api/v1/strategy/grid", { method: "POST", body })).status).toBe(200);
  const status = async () =>
    (await (await server.ask("/api/v1/strategy/grid/status")).json()).strategies[0] as {
      stream: string | null;
      filledOrders: number;
      lastError: string | null;
      notices: readonly { code: string }[];
    };
  const isLive = () =>
    eventually(
      async () => (await status()).stream ?? "",
      (text) => text.startsWith("live"),
    );
  let fills = 0;
  /** Fills an order while something is wrong; afterwards its slot has exactly one other order. */
  const interrupted = async (begin: () => void, end: () => void, millis = FOR) => {
    begin();
    const [order] = venue.open("BTC/USDT").filter(({ side }) => side === (fills % 2 === 0 ? "buy" : "sell"));
    venue.fill(order?.id ?? "");
    fills++;
    await sleep(millis);
    end();
    await eventually(
      async () => [venue.open("BTC/USDT").length, (await status()).filledOrders],
      ([open, filled]) => open === GRID.gridLevels && filled === fills,
    );
    await sleep(FOR);
    expect([venue.orders().length, venue.open("BTC/USDT").length]).toEqual([
      GRID.gridLevels + fills,
      GRID.gridLevels,
    ]);
  };
  await eventually(
    async () => venue.open("BTC/USDT").length,
    (open) => open === GRID.gridLevels,
  );
  await isLive();

  await interrupted(
    () => server.child.kill("SIGSTOP"),
    () => server.child.kill("SIGCONT"),
    STOPPED_FOR,
  );
  await isLive();
  const cutOff = () => {
    venue.stream.silent = true;
    venue.fail({ kind: "drop", times: Number.MAX_SAFE_INTEGER });
  };
  const restore = () => {
    venue.stream.silent = false;
    venue.heal();
  };
  await interrupted(cutOff, restore);
  await interrupted(() => venue.fail({ kind: "maintenance", times: Number.MAX_SAFE_INTEGER }), restore);
  await interrupted(
    () => venue.skew(60_000),
    () => venue.skew(0),
  );
  expect((await status()).notices).toEqual([]);

  venue.revokeKeys(venue.keys.key);
  const [order] = venue.open("BTC/USDT");
  venue.fill(order?.id ?? "");
  const refused = await eventually(status, ({ lastError }) => lastError !== null);
  expect(refused.notices.map(({ code }) => code)).not.toContain("stream_down");
  expect(venue.orders().length).toBe(GRID.gridLevels + fills);
  expect(server.stderr()).not.toMatch(/stream is down/);
});
