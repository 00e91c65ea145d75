import { spawn } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { edgemaker, environment, eventually, launcher } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

it.each(["grid", "quote"])(
  "Ctrl-C during %s start reports what started and a working command to stop it",
  async (group) => {
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
    const market = ["--exchange", "bitget", "--symbol", "BTC/USDT", "--size", "50"];
    const flags = group === "grid" ? [...bounds, "--levels", "4"] : ["--spread-percent", "2"];
    const child = spawn(process.execPath, [launcher, group, "start", ...market, ...flags, "--yes"], {
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
    const [, id] =
      /too late: the strategy started. `edgemaker stop (\S+-bitget-BTC-USDT-\d+)` cancels its orders/.exec(
        text,
      ) ?? [];
    expect(venue.account.open.size).toBeGreaterThan(0);
    const stopped = await edgemaker(folder, ["stop", id as string, "--yes"], env);
    expect(stopped.code, stopped.stderr).toBe(0);
    expect(venue.account.open.size).toBe(0);
  },
);
