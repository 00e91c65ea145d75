import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { root } from "../support/bundle.ts";
import { environment } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

it("the demo fills a buy and its matching sell, and prints both", async () => {
  const folder = tempFolder();
  const child = spawn("npm", ["run", "--silent", "demo", "--", "--port", "0"], {
    cwd: root,
    env: environment(folder),
    detached: true,
  });
  onTestFinished(() => {
    if (child.pid) process.kill(-child.pid, "SIGKILL");
  });
  let text = "";
  const cycle = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (part) => {
      text += String(part);
      if (/[1-9]\d* cycles/.test(text)) resolve();
    });
    child.on("close", (code) => reject(new Error(`the demo ended with ${code}: ${text}`)));
    setTimeout(() => reject(new Error(`no cycle: ${text}`)), 240_000).unref();
  });
  await cycle;
  expect(text).toMatch(/API +http:\/\/127\.0\.0\.1:\d+/);
  expect(text).not.toContain("listening on");
  expect(text).toMatch(/bought 0\.0\d+ BTC at \d+/);
  expect(text).toMatch(/sold +0\.0\d+ BTC at \d+/);
  expect(text).toContain(join(folder, "data/edgemaker/demo.db"));
});
