import { describe, expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { hasTerminal, type Screen, terminal } from "../support/terminal.ts";
import { waves } from "../support/waves.ts";

const MARKET = ["--sandbox", "--exchange", "kraken", "--symbol", "BTC/USDT"];
const BOUNDS = ["--lower", "57000", "--upper", "63000", "--levels", "12", "--size", "100"];
const GRID = [...MARKET, ...BOUNDS, "--stop-loss-price", "55000", "--use-own-base"];
const TRADE = ["trade", "--strategy", "grid", ...MARKET];

/** Names of the answer's own fields, which say nothing to a person. */
const RAW =
  /\b(planHash|maxQuoteUsed|ownBaseUsed|breakEvenSpacingPercent|worstCase|gridLevels|own_base_used)\b/;

/** What it has said when it is over, line breaks undone; no line is longer than the terminal is wide. */
async function said(screen: Screen, columns: number): Promise<string> {
  expect(await screen.ended).toBe(0);
  expect(screen.isWrapped(), screen.lines().join("\n")).toBe(false);
  for (const line of screen.lines()) expect(line.length).toBeLessThanOrEqual(columns);
  const text = screen.lines().join(" ").replace(/\s+/g, " ");
  expect(text).not.toMatch(RAW);
  return text;
}

describe.skipIf(!hasTerminal).each([80, 120])("plans and starts in a terminal of %d columns", (columns) => {
  it("use the same wording in grid preview and grid start", async () => {
    const folder = await waves();
    const run = (args: readonly string[]) => said(terminal(folder, args, { columns }), columns);
    const plan = await run(["grid", "preview", ...GRID]);
    expect(plan).toMatch(
      /^at most [\d.]+ USDT and 0\.\d+ BTC of your own in use market grid on BTC\/USDT at kraken orders \d+ buys at 57000 to \d+ USDT, \d+ sells at \d+ to 63000 USDT sum /,
    );
    expect(plan).toMatch(/set aside [\d.]+ of [\d.]+ free USDT .* of your own; .* stay free/);
    expect(plan).toMatch(
      /stay free \([\d.]+ %\) each cycle earns .* break-even if .* worst case .* USDT lost at 57000/,
    );
    expect(plan).toMatch(/by itself it sells its base and stops at or below 55000/);
    expect(plan).toMatch(
      /to start --plan-hash [0-9a-f]{32}-[\d.]+ starts exactly this plan; it can use 0\.\d+ BTC of your own$/,
    );
    const start = await run(["grid", "start", ...GRID, "--yes"]);
    expect(start).toMatch(
      /^strategy grid-kraken-BTC-USDT-\d+ message .* market grid on BTC\/USDT at kraken /,
    );
    expect(start).toMatch(/ at most [\d.]+ USDT and 0\.\d+ BTC of your own in use No server is running/);
  });

  it("use the same wording in trade --preview", async () => {
    const args = [...TRADE, "--preview"];
    const plan = await said(terminal(await waves(), args, { columns }), columns);
    expect(plan).toMatch(
      /^at most [\d.]+ USDT in use market grid on BTC\/USDT at kraken orders \d+ buys at .* worst case .* to start run the same command without --preview/,
    );
  });
});

it("grid preview and grid start output every field as JSON", async () => {
  const folder = await waves();
  const plan = await edgemaker(folder, ["grid", "preview", ...GRID, "--json"]);
  expect(JSON.parse(plan.stdout)).toMatchObject({
    orders: expect.any(Array),
    worstCase: expect.any(String),
    planHash: expect.any(String),
  });
  const started = await edgemaker(folder, ["grid", "start", ...GRID, "--yes", "--json"]);
  expect(JSON.parse(started.stdout)).toMatchObject({
    status: "running",
    phase: "active",
    uses: { base: expect.stringMatching(/^0\.\d/) },
  });
});
