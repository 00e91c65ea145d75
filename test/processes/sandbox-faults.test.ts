import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MINUTE, SECOND } from "../../src/kernel/time.ts";
import { edgemaker, eventually, serve } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

/** It withdraws while the reference is missing, or while the market differs from it. */
const GUARDED = `import { defineStrategy, z } from "edgemaker";
export default defineStrategy({
  name: "guarded",
  config: z.object({}),
  reference: { maxAge: 5000 },
  orders({ quote, reference }) {
    const { price, reason } = reference;
    const isFar = price !== null && quote.mid.dividedBy(price).minus(1).abs().isMore(0.03);
    const why = isFar ? "far from the reference" : (reason ?? "none");
    const bid = { id: "bid", side: "buy", price: quote.mid.times(0.9), quoteSize: 50 } as const;
    return { orders: price === null || isFar ? [] : [bid], state: null, notes: { why } };
  },
});
`;
const PLACE = "--exchange kraken --symbol BTC/USDT --base-budget 0 --quote-budget 100".split(" ");
const TWO = { EDGEMAKER_EXCHANGES: "kraken,gateio" };

interface Status {
  readonly orders: readonly object[];
  readonly lastError: string | null;
  readonly details: { readonly notes?: { readonly why: string } };
}

it("an own strategy's guard reacts to each fault, and to its end", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "strategies"));
  writeFileSync(join(folder, "strategies/guarded.ts"), GUARDED);
  const run = (...args: string[]) => edgemaker(folder, args, TWO);
  const fault = async (...args: string[]) => {
    const { code, stdout, stderr } = await run("sandbox", "fault", "--json", ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout).faults as { exchange: string; kind: string; until: string | null }[];
  };
  await serve(folder, ["--sandbox", "--tick-interval", "1"], TWO);
  const started = await run("strategy", "start", "guarded", ...PLACE, "--yes", "--sandbox", "--json");
  const { id } = JSON.parse(started.stdout) as { id: string };
  const becomes = (isSo: (status: Status) => boolean) =>
    eventually(
      async () => JSON.parse((await run("strategy", "status", id, "--sandbox", "--json")).stdout) as Status,
      isSo,
    );
  const quotes = () =>
    becomes(({ orders, details: { notes } }) => orders.length === 1 && notes?.why === "none");
  await quotes();

  const failing = await fault("--exchange", "gateio", "--kind", "failing");
  expect(failing).toMatchObject([{ exchange: "gateio", kind: "failing", until: null }]);
  const old = await becomes(({ orders, details: { notes } }) => orders.length === 0 && notes?.why !== "none");
  expect(old.details.notes?.why).toMatch(/no other source|is .* s old; the maximum is 5 s/);
  expect(await fault("--clear")).toEqual([]);
  await quotes();

  await fault("--exchange", "kraken", "--kind", "no-asks");
  await becomes(({ lastError }) => lastError === "the book has no asks");
  await fault("--exchange", "kraken", "--clear");
  await quotes();

  expect((await fault("--exchange", "kraken", "--kind", "stale", "--for", "2h"))[0]?.until).toMatch(/Z$/);
  await run("sandbox", "shock", "--symbol", "BTC/USDT", "--percent", "-20");
  await becomes(
    ({ orders, details: { notes } }) => orders.length === 0 && notes?.why === "far from the reference",
  );
  expect(await fault()).toHaveLength(1);
});

it("lasts as long as --for says on the clock, whatever the time of the market", async () => {
  const folder = tempFolder();
  const began = Date.now();
  const args = ["--exchange", "kraken", "--kind", "slow", "--for", "10m"];
  await edgemaker(folder, ["sandbox", "reset", "--origin", "2024-01-01"], TWO);
  const { stdout } = await edgemaker(folder, ["sandbox", "fault", "--json", ...args], TWO);
  const [fault] = JSON.parse(stdout).faults as { from: string; until: string }[];
  expect(fault?.from).toMatch(/^2024-01-01T00:/);
  const start = Date.parse(fault?.until ?? "") - 10 * MINUTE;
  // Within the command, with a second for the rounding of the database's clock.
  expect([began - SECOND <= start, start <= Date.now() + SECOND]).toEqual([true, true]);
});

it.each([
  [["--exchange", "kraken", "--kind", "odd"], /--kind must be one of stale/],
  [["--kind", "slow"], /--exchange is missing/],
  [["--exchange", "kraken"], /--kind is missing/],
  [["--exchange", "kraken", "--kind", "slow", "--for", "soon"], /--for must be the length/],
  [["--exchange", "kraken", "--kind", "slow", "--clear"], /either --kind or --clear/],
  [["--exchange", "nope", "--kind", "slow"], /the sandbox has no exchange nope/],
])("rejects %j", async (args, pattern) => {
  const { code, stderr } = await edgemaker(tempFolder(), ["sandbox", "fault", ...args]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(pattern)]);
});
