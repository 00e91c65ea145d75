import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { edgemaker, environment, launcher, serve, together } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const START = ["grid", "start", "--exchange", "kraken", "--symbol", "BTC/USDT", "--sandbox"];

it("the command line reports all mistakes at once, accepts true and false, and fails as JSON with --json", async () => {
  const [all, json, usage, help, same, falseWord, reversed] = await together(tempFolder(), [
    { args: START },
    { args: [...START, "--json"] },
    { args: ["ticker", "--exchang", "kraken", "--json"] },
    { args: ["help", "grid", "start"] },
    { args: ["grid", "start", "--help"] },
    { args: [...START, "--allow-loss", "false", "--no-use-own-base", "--lower", "1"] },
    { args: [...START, "--lower", "2", "--upper", "1", "--levels", "5", "--size", "10", "--yes"] },
  ]);
  expect(all?.code).toBe(2);
  for (const flag of ["--lower", "--upper", "--levels", "--size"]) expect(all?.stderr).toContain(`${flag} `);
  expect([json?.code, json?.stdout]).toEqual([2, ""]);
  expect(JSON.parse(json?.stderr ?? "")).toMatchObject({ error: "Invalid range", issues: expect.anything() });
  expect(JSON.parse(usage?.stderr ?? "")).toEqual({
    error: "Usage error",
    message: expect.stringContaining("did you mean --exchange?"),
  });
  expect(help).toEqual(same);
  expect(help?.stdout).toContain("--flag false or --no-flag");
  expect(reversed?.stderr).toBe("Invalid range: --lower must be below --upper\n");
  expect(falseWord?.stderr).not.toMatch(/unexpected word|takes no value/);
});

it("the full help matches the help of each command, whatever exchanges are configured", async () => {
  const folder = tempFolder();
  const made = await edgemaker(folder, ["--help", "--help"]);
  expect(made.stdout).toContain("Run edgemaker <command> --help for details.");
  for (const word of ["--help", "-h", "help"])
    expect(await edgemaker(folder, [word], { EDGEMAKER_EXCHANGES: "kraken" })).toEqual(made);
});

it("a demo picks a free port if the default is in use, and prints a summary at its end", async () => {
  const accepted = createServer();
  await new Promise<void>((resolve) =>
    accepted.listen(3000, "127.0.0.1", resolve).once("error", () => resolve()),
  );
  onTestFinished(() => void accepted.close());
  const { code, stdout, stderr } = await edgemaker(tempFolder(), ["demo", "--seconds", "2"]);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/API {5}http:\/\/127\.0\.0\.1:30[012]\d/);
  expect(stdout).not.toMatch(/API {5}http:\/\/127\.0\.0\.1:3000 /);
  expect(stdout).toMatch(/The demo is over\.\n.*open orders?, \d+ filled, \d+ cycles?; realized P&L/);
});

it("a demo trades on the first exchange of the settings if they have no kraken", async () => {
  const over = { EDGEMAKER_EXCHANGES: "mexc,bitget" };
  const { code, stdout, stderr } = await edgemaker(
    tempFolder(),
    ["demo", "--seconds", "2", "--port", "0"],
    over,
  );
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("The demo is over.");
});

it("a server ends as usual after the reader of its output has ended", async () => {
  const folder = tempFolder();
  const server = await serve(folder, ["--sandbox"]);
  const range = ["--lower-price", "20000", "--upper-price", "30000", "--levels", "4", "--order-size", "20"];
  expect((await edgemaker(folder, [...START, ...range, "--yes"])).code).toBe(0);
  server.child.stdout?.destroy();
  const ended = once(server.child, "close");
  // It writes which orders stay open.
  server.child.kill("SIGINT");
  expect(await ended, server.stderr()).toEqual([0, null]);
});

it.skipIf(!existsSync("/dev/full"))(
  "a command whose output cannot be written fails and says so",
  async () => {
    const folder = tempFolder();
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [launcher, "--help"], {
      stdio: ["ignore", full, "pipe"],
      env: environment(folder),
    });
    let stderr = "";
    child.stderr?.on("data", (part) => (stderr += String(part)));
    expect((await once(child, "close"))[0]).toBe(1);
    expect(stderr).toMatch(/^edgemaker: the output could not be written: ENOSPC: .*\n$/);
  },
);
