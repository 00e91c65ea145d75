import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { environment } from "../support/server.ts";
import { tempFolder } from "../support/temp.ts";

it("restarts the development server once for changes that arrive while the old one ends", async () => {
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
    await expect.poll(documents).toContain("Spread between bid and ask, in percent");
    const file = join(strategies, "two-sided.ts");
    const text = readFileSync(file, "utf8");
    const servers = () =>
      spawnSync("pgrep", ["-P", String(dev.pid)], { encoding: "utf8" }).stdout.match(/\d+/g) ?? [];
    const [server = ""] = servers();
    process.kill(Number(server), "SIGSTOP");
    for (const name of ["A spread", "Another spread", "The whole spread"]) {
      writeFileSync(file, text.replace("Spread between bid and ask, in percent", name));
      // Longer than the wait for an editor's next write.
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    process.kill(Number(server), "SIGCONT");
    await expect.poll(documents).toContain("The whole spread");
    // None for a moment, if a slow watcher reports the last change after the new server started.
    expect(servers().length).toBeLessThanOrEqual(1);
  } finally {
    dev.kill("SIGTERM");
    if (dev.exitCode === null) await new Promise((resolve) => dev.once("exit", resolve));
  }
});
