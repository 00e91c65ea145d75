import { spawn } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { edgemaker, environment, eventually, launcher } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

it("Ctrl-C during a start reports the state of the grid and a working command to stop it", async () => {
  const venue = await startVenue("bitget");
  onTestFinished(async () => void (await venue.close()));
  const folder = tempFolder();
  const env = {
    EDGEMAKER_EXCHANGES: "bitget",
    EDGEMAKER_VENUE_URLS: `bitget=${venue.url}`,
    // The order is under way for as long as this takes.
    EDGEMAKER_TIMING: "leaseTtl=60000,requestTimeout=30000",
    BITGET_API_KEY: venue.keys.key,
    BITGET_SECRET: venue.keys.secret,
    BITGET_PASSPHRASE: venue.keys.passphrase ?? "",
  };
  const ticker = await edgemaker(
    folder,
    ["ticker", "--exchange", "bitget", "--symbol", "BTC/USDT", "--json"],
    env,
  );
  const { last } = JSON.parse(ticker.stdout) as { last: number };
  // Its first order is under way for so long that somebody loses patience.
  let letGo = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  venue.fail({ kind: "slow", route: "create", until });
  const bounds = ["--lower", String(Math.round(last * 0.9)), "--upper", String(Math.round(last * 1.1))];
  const grid = ["--exchange", "bitget", "--symbol", "BTC/USDT", ...bounds, "--levels", "4", "--size", "50"];
  const child = spawn(process.execPath, [launcher, "grid", "start", ...grid, "--yes"], {
    env: environment(folder, env),
    cwd: folder,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stderr.on("data", (part) => (text += String(part)));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await eventually(async () => venue.observed.some(({ route }) => route === "create"), Boolean);
  child.kill("SIGINT");
  await eventually(
    async () => text,
    (said) => said.includes("The start is in progress"),
  );
  letGo();
  expect(await ended, text).toBe(0);
  expect(text).toMatch(/^The start is in progress; the result follows/);
  const [, id] = /`edgemaker grid stop (grid-bitget-BTC-USDT-\d+)` cancels its orders/.exec(text) ?? [];
  expect(id, text).toBeDefined();
  expect(venue.account.open.size).toBeGreaterThan(0);
  const stopped = await edgemaker(folder, ["grid", "stop", id as string, "--yes"], env);
  expect(stopped.code, stopped.stderr).toBe(0);
  expect(venue.account.open.size).toBe(0);
});
