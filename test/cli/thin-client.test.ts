import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { edgemaker, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const TELLS = { NODE_OPTIONS: `--require "${join(root, "test/support/tells-loaded.cjs")}"` };

/** Runs a command in the sandbox; returns what it loaded. */
async function loadedBy(folder: string, args: readonly string[]) {
  const { code, stderr } = await edgemaker(folder, [...args, "--sandbox", "--json"], TELLS);
  expect({ args, code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(/^loaded: (.*)$/m.exec(stderr)?.[1] ?? "null");
}

const START = "--exchange kraken --symbol BTC/USDT --lower 50000 --upper 70000 --levels 4 --size 50 --yes";

it("a command whose server runs loads neither the database nor the client of fetch", async () => {
  const folder = tempFolder();
  const server = await serve(folder, ["--sandbox"]);
  for (const args of ["grid list", "ticker --exchange kraken --symbol BTC/USDT", `grid start ${START}`])
    expect(await loadedBy(folder, args.split(" "))).toEqual({ fetch: false, database: false });
  await server.kill("SIGTERM");
  expect(await loadedBy(folder, ["grid", "list"])).toMatchObject({ database: true });
});
