import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const MARKET = ["--exchange", "kraken", "--symbol", "BTC/USDT"];
const GRID = ["--lower", "57000", "--upper", "63000", "--levels", "4", "--size", "100"];
const BUDGET = ["--quote-budget", "1000", "--base-budget", "0.05"];

interface Status {
  readonly status: string;
  readonly exchange: string;
  readonly name: string | null;
  readonly orders: readonly { readonly side: string }[];
  readonly startAgain: object;
}

function sandboxed() {
  const folder = tempFolder();
  mkdirSync(join(folder, "strategies"), { recursive: true });
  cpSync(join(root, "examples", "two-sided.ts"), join(folder, "strategies", "two-sided.ts"));
  const run = (...words: string[]) => edgemaker(folder, [...words, "--sandbox"]);
  const answer = async <T>(...words: string[]) => JSON.parse((await run(...words, "--json")).stdout) as T;
  const idOf = async (...words: string[]) => (await answer<{ id: string }>(...words, "--yes")).id;
  return { run, idOf, statusOf: (id: string) => answer<Status>("status", id), answer };
}

it("clone starts a stopped strategy again, with the settings that its flags change", async () => {
  const { run, idOf, statusOf, answer } = sandboxed();
  const first = await idOf("start", "grid", ...MARKET, ...GRID, "--stop-loss-price", "40000");
  await run("stop", first, "--yes");
  const same = await statusOf(await idOf("clone", first));
  const before = await statusOf(first);
  expect([before.status, before.orders]).toEqual(["stopped", []]);
  expect([same.status, same.startAgain]).toEqual(["running", before.startAgain]);
  const bids = same.orders.length;
  expect(bids).toBeGreaterThan(0);

  const changes = ["--exchange", "mexc", "--size", "50", "--name", "second"];
  const plan = await answer<{ planHash: string; orders: object[] }>("preview", "clone", first, ...changes);
  const other = await statusOf(await idOf("clone", first, ...changes, "--plan-hash", plan.planHash));
  expect(other).toMatchObject({ exchange: "mexc", name: "second" });
  expect(other.orders).toHaveLength(plan.orders.length);
  expect(other.startAgain).toEqual({
    ...before.startAgain,
    exchange: "mexc",
    config: { ...(before.startAgain as { config: object }).config, orderSize: 50 },
  });
});

it("clone changes one part of a setting alone, and moves no budget to another asset", async () => {
  const { run, idOf, statusOf } = sandboxed();
  const trailed = ["--trail-up", "70000", "--trail-down", "50000"];
  const grid = await idOf("start", "grid", ...MARKET, ...GRID, ...trailed);
  const again = await statusOf(await idOf("clone", grid, "--trail-up", "80000"));
  expect(again.startAgain).toMatchObject({
    config: { trail: { up: 80_000, down: 50_000 }, useOwnBase: false },
  });
  const quotes = await idOf("start", "quote", ...MARKET, ...BUDGET, "--spread-percent", "2", "--size", "50");
  const other = await run("clone", quotes, "--symbol", "ETH/BTC", "--yes");
  expect([other.code, other.stderr]).toEqual([
    2,
    "edgemaker: --base-budget is missing: the budget of the other strategy is 0.05 BTC\n",
  ]);
});

it("clone works for a strategy of one's own, and refuses what cannot be meant", async () => {
  const { run, idOf, statusOf } = sandboxed();
  const size = ["--spread-percent", "1", "--size", "100"];
  const own = await idOf("start", "two-sided", ...MARKET, ...BUDGET, ...size);
  const [before, after] = [await statusOf(own), await statusOf(await idOf("clone", own, "--size", "60"))];
  expect(after.orders.map(({ side }) => side)).toEqual(before.orders.map(({ side }) => side));
  expect(after.startAgain).toMatchObject({ config: { spreadPercent: 1, size: 60 } });

  const foreign = await run("clone", own, "--lower", "2", "--yes");
  expect([foreign.code, foreign.stderr]).toEqual([
    2,
    `edgemaker: --lower is not a flag of ${own}, which is the strategy two-sided\n`,
  ]);
  const wrong = await run("clone", own, "--spread-percent", "-4", "--yes");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--spread-percent")]);
  const asked = await run("clone", own);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("add --yes")]);
  const none = await run("clone", "none-1", "--yes");
  expect([none.code, none.stderr]).toEqual([1, "Not found: there is no strategy none-1\n"]);
});
