import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { currentBundle } from "../../cli/build/current.cjs";
import { newSchema } from "../../cli/build/new-schema.mjs";
import { root } from "../support/bundle.ts";
import { edgemaker, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const TELLS = { NODE_OPTIONS: `--require "${join(root, "test/support/tells-loaded.cjs")}"` };

const loadedOf = (stderr: string) => JSON.parse(/^loaded: (.*)$/m.exec(stderr)?.[1] ?? "null");

/** Runs a command in the sandbox; returns what it loaded. */
async function loadedBy(folder: string, args: readonly string[]) {
  const { code, stderr } = await edgemaker(folder, [...args, "--sandbox", "--json"], TELLS);
  expect({ args, code, stderr }).toMatchObject({ code: 0 });
  return loadedOf(stderr);
}

const START = "--exchange kraken --symbol BTC/USDT --lower 50000 --upper 70000 --levels 4 --size 50 --yes";

it("a command whose server runs loads neither the database nor the client of fetch", async () => {
  const folder = tempFolder();
  const server = await serve(folder, ["--sandbox"]);
  for (const args of ["grid list", "ticker --exchange kraken --symbol BTC/USDT", `grid start ${START}`])
    expect(await loadedBy(folder, args.split(" "))).toEqual({ fetch: false, database: false, migrations: 0 });
  await server.kill("SIGTERM");
  expect(await loadedBy(folder, ["grid", "list"])).toMatchObject({ database: true });
});

it("a build contains the schema of a new database, so a first start reads no migration", async () => {
  const built = readFileSync(join(dirname(await currentBundle()), "schema.json"), "utf8");
  expect(JSON.parse(built)).toEqual(newSchema());
  const server = await serve(tempFolder(), ["--sandbox"], TELLS);
  expect((await server.ask("/ready")).status).toBe(200);
  await server.kill("SIGTERM");
  expect(loadedOf(server.stderr())).toMatchObject({ database: true, migrations: 0 });
});
