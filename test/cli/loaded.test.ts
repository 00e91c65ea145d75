import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { ALIASES } from "../../cli/build/aliases.mjs";
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

/** Returns the sources that are loaded with these files; `import()` loads others later. */
async function sourcesOf(...entryPoints: readonly string[]): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entryPoints],
    outdir: "dist/test/loaded",
    bundle: true,
    write: false,
    splitting: true,
    format: "esm",
    platform: "node",
    alias: ALIASES,
    logLevel: "error",
    metafile: true,
  });
  const found = new Set<string>();
  const add = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    for (const { kind, path, external } of metafile.inputs[file]?.imports ?? [])
      if (kind !== "dynamic-import" && !external) add(path);
  };
  for (const file of entryPoints) add(file);
  return found;
}

const CALCULATION =
  /^src\/backtest\/(operations\/calculations|run\/backtest|replay\/replay|suggest\/suggest)\.ts$/;

it("the command line loads actions, adapters and calculations only when a command runs", async () => {
  const sources = [...(await sourcesOf("cli/command-line.ts"))];
  expect(sources).toContain("src/operations.ts");
  expect(sources.filter((file) => /^(cli\/actions|src\/adapters\/(libsql|ccxt))\//.test(file))).toEqual([]);
  expect(sources.filter((file) => CALCULATION.test(file))).toEqual([]);
});

it("a server loads neither other commands nor calculations, for which it has a thread", async () => {
  const sources = [...(await sourcesOf("cli/command-line.ts", "cli/actions/serve.ts"))];
  expect(sources).toContain("src/engine/pass/pass.ts");
  expect(sources.filter((file) => CALCULATION.test(file))).toEqual([]);
  expect(sources).not.toContain("cli/actions/actions.ts");
});

it("a build has what every command loads in few files, because each file takes time", async () => {
  const folder = dirname(await currentBundle());
  const files = new Set<string>();
  const add = (name: string): void => {
    if (files.has(name)) return;
    files.add(name);
    const text = readFileSync(join(folder, name), "utf8");
    for (const [, other = ""] of text.matchAll(/\b(?:from|import)"\.\/([^"]+\.js)"/g)) add(other);
  };
  add("main.js");
  expect(files.size).toBeGreaterThan(1);
  expect(files.size).toBeLessThanOrEqual(6);
});

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
