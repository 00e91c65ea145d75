import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@libsql/client";
import { expect, it } from "vitest";
import { auditSandbox } from "../support/audit.ts";
import { eventually, type Server, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const file = fileURLToPath(new URL("../../../shared/data/btc-usd-2022-01-1m.csv.gz", import.meta.url));
const isThere = existsSync(file);
if (!isThere) console.warn("skipped: the candles of January 2022 are not here (../shared/data)");

const GRID = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  lowerPrice: 36_000,
  upperPrice: 48_000,
  gridLevels: 40,
  orderSize: 500,
};
const MONTH = 75_000;

it.skipIf(!isThere)(
  "killed ten times in a month, a grid has its orders again within ten seconds, and its ledger is the account's",
  async () => {
    const folder = tempFolder();
    const db = `file:${join(folder, "crash.db")}`;
    const start = () =>
      serve(folder, [
        "--db",
        db,
        "--sandbox",
        "--replay",
        file,
        "--speed",
        "36000",
        "--tick-interval",
        "100",
      ]);
    let server: Server = await start();
    const answer = (await (
      await server.ask("/api/v1/strategy/grid", { method: "POST", body: JSON.stringify(GRID) })
    ).json()) as { id: string };
    const kills = Array.from({ length: 10 }, () => Math.random() * 2 * (MONTH / 11));
    for (const wait of kills) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(wait, 9000)));
      await server.kill("SIGKILL");
      server = await start();
    }
    const grid = async () => {
      const body = (await (await server.ask(`/api/v1/strategy/grid/status?id=${answer.id}`)).json()) as {
        strategies: { openOrders: number; refused: { reason: string }[]; cycles: number }[];
      };
      return body.strategies[0];
    };
    const rested = await eventually(
      grid,
      (one) => one !== undefined && one.openOrders + one.refused.length === 40,
      10_000,
    );
    // An hour passes between two steps: a slot may wait one for its neighbour, whose order it would cross.
    expect(rested?.refused.filter(({ reason }) => reason !== "would_self_cross")).toEqual([]);
    expect(rested?.cycles).toBeGreaterThan(0);

    const stopped = await server.ask("/api/v1/strategy/grid", {
      method: "DELETE",
      body: JSON.stringify({ id: answer.id }),
    });
    expect(stopped.status).toBe(200);
    await eventually(grid, (one) => one?.openOrders === 0, 10_000);
    await server.kill("SIGTERM");
    const audit = await auditSandbox(createClient({ url: db }), "kraken");
    expect(audit.strategies).toEqual([{ id: answer.id, status: "stopped" }]);
    expect(audit).toMatchObject({ withoutIntent: [], twice: [], open: [], unbooked: [], differences: {} });
  },
  150_000,
);
