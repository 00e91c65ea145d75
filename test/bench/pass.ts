import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runPass } from "../../src/engine/pass/pass.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { type Figure, repeat } from "./figure.ts";

const SIZES: readonly (readonly [grids: number, slots: number, goal: string])[] = [
  [1, 20, "≤ 2"],
  [4, 100, "≤ 10"],
  [10, 200, "≤ 50"],
];
/** Of one run, after as many that are not counted. */
const PASSES = 20;

/** Processor time of a pass while nothing happens, on a database file and an exchange that answers at once. */
export async function passFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [grids, slots, goal] of SIZES) {
    const runs = await millisOfQuiet(grids, slots);
    figures.push({
      name: `a quiet pass over ${grids * slots} orders: CPU time`,
      unit: "ms",
      runs,
      goal,
    });
  }
  return figures;
}

async function millisOfQuiet(grids: number, slots: number): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-bench-"));
  const { deps, venue, time, context } = await testSandbox({ url: `file:${join(folder, "pass.db")}` });
  const kraken = venue("kraken");
  for (let place = 0; place < grids; place++)
    await runOperation(
      deps,
      "start_grid",
      gridInput({
        lowerPrice: decimal("50000") + BigInt(place) * decimal("7"),
        upperPrice: decimal("70000") + BigInt(place) * decimal("7"),
        gridLevels: slots,
        orderSize: decimal("6"),
      }),
    );
  await passes(deps, { venue: kraken, time }, 10);
  const still = await stillVenue(kraken);
  await passes(deps, { venue: still, time }, PASSES);
  const runs = await repeat(async () => {
    const before = process.cpuUsage();
    await passes(deps, { venue: still, time }, PASSES);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / PASSES;
  });
  context.client.close();
  rmSync(folder, { recursive: true, force: true });
  return runs;
}

interface Setup {
  readonly venue: Venue;
  readonly time: { readonly pass: (millis: number) => number };
}

async function passes(
  deps: Parameters<typeof runPass>[0],
  { venue, time }: Setup,
  count: number,
): Promise<void> {
  for (let one = 0; one < count; one++) {
    time.pass(5 * SECOND);
    const { outcome, message } = await runPass(deps, venue);
    if (outcome !== "stepped") throw new Error(`a pass ${outcome}: ${message}`);
  }
}

/** The exchange as it was once, told at once: what it takes to simulate it is not the pass. */
async function stillVenue(venue: Venue): Promise<Venue> {
  const [open, ticker, balances] = [
    await venue.openOrders("BTC/USDT"),
    await venue.ticker("BTC/USDT"),
    await venue.balances(),
  ];
  if (open.length === 0) throw new Error("no order rests");
  process.stderr.write(`${open.length} orders rest\n`);
  return {
    ...venue,
    openOrders: async () => open,
    ticker: async () => ticker,
    balances: async () => balances,
    fills: async (_symbol, { from, to = from }) => ({
      fills: [],
      unreadable: [],
      covered: { from, to: Math.max(from, to) },
      now: Math.max(from, to),
    }),
  };
}
