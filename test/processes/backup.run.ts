import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { describe, expect, it } from "vitest";
import { auditSandbox, RESTORED } from "../support/audit.ts";
import { edgemaker, eventually, type Server, serve } from "../support/command.ts";
import { gridRequest } from "../support/requests.ts";
import { tempFolder } from "../support/temp.ts";

const SLOTS = 20;
const grid = (exchange: string) => gridRequest({ exchange, gridLevels: SLOTS });

interface Grid {
  readonly id: string;
  readonly status: string;
  readonly openOrders: number;
  readonly filledOrders: number;
  readonly refused: readonly { readonly reason: string }[];
}

const grids = async (server: Server): Promise<readonly Grid[]> =>
  ((await (await server.ask("/api/v1/strategy/grid/status")).json()) as { strategies: Grid[] }).strategies;
const filled = (all: readonly Grid[]): number => all.reduce((sum, { filledOrders }) => sum + filledOrders, 0);
const isWhole = ({ status, openOrders, refused }: Grid): boolean =>
  status === "running" &&
  openOrders + refused.length === SLOTS &&
  refused.every(({ reason }) => reason !== "recovering");
const post = async <T>(server: Server, method: "POST" | "DELETE", path: string, body: object) =>
  (await (await server.ask(`/api/v1${path}`, { method, body: JSON.stringify(body) })).json()) as T;

/** Asked only of files that no process works on any more: a closed connection is not closed at once. */
const placed = async (file: string): Promise<number> => {
  const client = createClient({ url: `file:${file}` });
  const { rows } = await client.execute("select count(*) from venue_orders where client_id like 'em%'");
  client.close();
  return Number(rows[0]?.[0]);
};

describe("a database restored from a backup", () => {
  it("finds what its grids have placed since, places nothing twice, and its ledger is the account's", async () => {
    const folder = tempFolder();
    const file = join(folder, "trade.db");
    const db = `file:${file}`;
    const backup = join(folder, "backup.db");
    const start = () => serve(folder, ["--db", db, "--sandbox", "--speed", "3600", "--tick-interval", "100"]);
    const run = (...words: string[]) => edgemaker(folder, ["db", ...words, "--db", db, "--sandbox"]);
    let server = await start();
    const ids: string[] = [];
    for (const exchange of ["kraken", "mexc"])
      ids.push((await post<Grid>(server, "POST", "/strategy/grid", grid(exchange))).id);
    const forgotten = (await post<Grid>(server, "POST", "/strategy/grid", grid("gateio"))).id;
    await eventually(
      () => grids(server),
      (all) => filled(all) >= 4,
    );
    expect(await run("backup", backup)).toMatchObject({ code: 0, stderr: "" });
    expect(statSync(backup).mode & 0o777).toBe(0o600);

    const atBackup = filled(await grids(server));
    await post(server, "DELETE", "/strategy/grid", { id: forgotten });
    await eventually(
      () => grids(server),
      (all) => filled(all) >= atBackup + 6,
    );
    const refused = await run("restore", backup);
    expect(refused).toMatchObject({
      code: 1,
      // By its name where it answers in time.
      stderr: expect.stringMatching(/(a server \(process \d+\)|another process) uses/),
    });
    await server.kill("SIGKILL");

    for (const _time of ["first", "second"]) {
      const restored = await run("restore", backup);
      expect(restored).toMatchObject({ code: 0, stderr: "" });
      expect(restored.stdout).not.toContain(forgotten);
      server = await start();
      // Its stop, asked after the backup, still holds: the first pass sees its orders gone.
      const before = await eventually(
        () => grids(server),
        (all) => all.find(({ id }) => id === forgotten)?.openOrders === 0,
      );
      await eventually(
        async () => (await grids(server)).filter(({ id }) => ids.includes(id)),
        (all) => all.every(isWhole) && filled(all) > filled(before) + 4,
      );
      await server.kill("SIGKILL");
    }

    server = await start();
    for (const id of ids) await post(server, "DELETE", "/strategy/grid", { id });
    await eventually(
      () => grids(server),
      (all) => all.every(({ status }) => status === "stopped"),
    );
    await server.kill("SIGTERM");
    for (const exchange of ["kraken", "mexc", "gateio"]) {
      const audit = await auditSandbox(createClient({ url: db }), exchange);
      expect(audit).toMatchObject({ exchange, ...RESTORED });
    }
    const kept = readdirSync(folder).filter((name) => name.includes("before-restore"));
    expect(kept).toHaveLength(2);
    for (const name of kept)
      expect(await placed(join(folder, name))).toBeGreaterThan((await placed(backup)) + 3);
  });
});
