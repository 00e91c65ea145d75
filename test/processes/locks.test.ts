/** A server's database keeps what the server writes, whatever other programs open and close it meanwhile. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { edgemaker, type Server, serve } from "../support/command.ts";
import { gridRequest } from "../support/requests.ts";
import { tempFolder } from "../support/temp.ts";

const GRID = gridRequest({ lowerPrice: 54_000, upperPrice: 66_000, gridLevels: 6 });

const gridsOf = async (server: Server) =>
  (await (await server.ask("/api/v1/strategies")).json()) as { strategies: { id: string }[] };

/** Programs that open the database beside a running server. */
const BESIDE: readonly (readonly string[])[] = [
  ["token", "list"],
  ["kill", "status"],
  ["doctor"],
  ["audit", "verify"],
  ["sandbox", "shock", "--symbol", "BTC/USDT", "--percent", "1"],
];

describe("a server that was restarted", () => {
  it.each(BESIDE.map((command) => [command.slice(0, 2).join(" "), command] as const))(
    "loses nothing to `%s` and a kill -9",
    async (_name, command) => {
      const folder = tempFolder();
      const db = join(folder, "own.db");
      const args = ["--db", `file:${db}`, "--sandbox", "--tick-interval", "3600000"];
      const first = await serve(folder, args);
      await first.kill("SIGINT");
      const server = await serve(folder, args);
      const { code, stderr } = await edgemaker(folder, [...command, "--db", `file:${db}`, "--sandbox"]);
      // A command that refuses its flags would not open the database.
      expect(code, stderr).not.toBe(2);
      // SQLite deletes its log when the last process closes the database.
      expect(existsSync(`${db}-wal`)).toBe(true);
      const started = await server.ask("/api/v1/strategy/grid", {
        method: "POST",
        body: JSON.stringify(GRID),
      });
      expect(started.status).toBe(200);
      const { strategies } = await gridsOf(server);
      expect(strategies).toHaveLength(1);
      await server.kill("SIGKILL");
      const next = await serve(folder, args);
      expect((await gridsOf(next)).strategies.map(({ id }) => id)).toEqual(strategies.map(({ id }) => id));
    },
  );
});
