import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { currentBundle } from "../../cli/build/build.mjs";
import { packageFolder } from "../../cli/host/locations.ts";
import { tempFolder } from "../support/temp.ts";

const LOADED = `process.on("exit", () => {
  const loaded = process.moduleLoadList.includes("NativeModule child_process");
  process.stderr.write("child_process " + (loaded ? "loaded" : "not loaded"));
});`;

/** Links it and what it needs as a strict package manager does: each package sees what it names itself, and nothing else. */
async function installedStrictly(folder: string): Promise<string> {
  const root = packageFolder();
  const bundle = dirname(await currentBundle());
  const own = join(folder, "edgemaker/node_modules/edgemaker");
  const libsql = join(folder, "libsql/node_modules/libsql");
  for (const name of ["package.json", "drizzle", "cli/edgemaker.cjs", "cli/build", "dist/current"])
    cpSync(join(root, name), join(own, name), { recursive: true });
  cpSync(bundle, join(own, bundle.slice(root.length)), { recursive: true });
  cpSync(join(root, "node_modules/libsql"), libsql, { recursive: true });
  symlinkSync(join(root, "node_modules/@libsql"), join(dirname(libsql), "@libsql"));
  symlinkSync(libsql, join(dirname(own), "libsql"));
  return join(own, "cli/edgemaker.cjs");
}

it("finds libSQL's native part where only libSQL sees it, and asks no other program for it", async () => {
  const folder = tempFolder();
  const launcher = await installedStrictly(folder);
  mkdirSync(join(folder, "home"));
  const env = { PATH: process.env.PATH, HOME: join(folder, "home") };
  const watched = `data:text/javascript,${encodeURIComponent(LOADED)}`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--import", watched, launcher, "grid", "list", "--sandbox", "--json"],
    { env, cwd: folder },
  );
  expect(JSON.parse(stdout)).toEqual({ strategies: [], count: 0 });
  expect(stderr).toBe("child_process not loaded");
});
