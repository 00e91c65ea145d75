import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { environment } from "../support/server.ts";
import { tempFolder } from "../support/temp.ts";

it("restarts the development server with a changed strategy", async () => {
  const folder = tempFolder();
  const strategies = join(folder, "strategies");
  mkdirSync(strategies);
  cpSync(join(root, "examples/two-sided.ts"), join(strategies, "two-sided.ts"));
  const dev = spawn(
    process.execPath,
    [join(root, "cli/build/dev.mjs"), "--port", "0", "--db", `file:${join(folder, "dev.db")}`],
    { cwd: folder, env: environment(folder, {}) },
  );
  let output = "";
  for (const stream of [dev.stdout, dev.stderr]) stream.on("data", (part) => (output += part));
  const documents = async () => {
    const urls = [...output.matchAll(/http:\/\/127\.0\.0\.1:\d+/g)].map(([url]) => url);
    const answer = await fetch(`${urls.at(-1)}/openapi.json`).catch(() => undefined);
    return (await answer?.text()) ?? "";
  };
  try {
    await expect.poll(documents).toContain("Full spread, as a fraction");
    const file = join(strategies, "two-sided.ts");
    writeFileSync(file, readFileSync(file, "utf8").replace("Full spread, as a fraction", "The whole spread"));
    await expect.poll(documents).toContain("The whole spread");
  } finally {
    dev.kill("SIGTERM");
    if (dev.exitCode === null) await new Promise((resolve) => dev.once("exit", resolve));
  }
});
