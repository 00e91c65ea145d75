import { tick } from "../../src/engine/pass/tick.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { VENUES, type VenueName } from "../../src/model/market.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";

const RANGES = { "BTC/USDT": ["57000", "63000"], "ETH/USDT": ["2850", "3150"] } as const;
/** Ten minutes of passes. */
const PASSES = 120;
/** Version 0.1.0 of 2026-11-20: two private calls a pair and pass, of which kraken counted that for trades twice. */
const BEFORE: Readonly<Record<number, number>> = { 1: 2, 2: 4 };

/** Signed calls of a pass over quiet grids of 20 slots, one a pair, by a clock that moves when told. */
async function callsOf(name: VenueName, pairs: number): Promise<number> {
  const { deps, time, exchange, close } = await emulatedExchanges({ names: [name] });
  for (const [symbol, [lower, upper]] of Object.entries(RANGES).slice(0, pairs)) {
    await runOperation(
      deps,
      "start_grid",
      gridInput({
        exchange: name,
        symbol,
        lowerPrice: decimal(lower),
        upperPrice: decimal(upper),
        gridLevels: 20,
      }),
    );
  }
  const pass = async (wait: number) => {
    time.pass(wait);
    const [{ outcome, message } = { outcome: "none", message: "" }] = await tick(deps);
    if (outcome !== "stepped") throw new Error(`a pass over ${name} ${outcome}: ${message}`);
  };
  for (let place = 0; place < 10; place++) await pass(20 * SECOND);
  const venue = exchange(name);
  venue.resetCounts();
  for (let place = 0; place < PASSES; place++) await pass(5 * SECOND);
  const signed = venue.observed.filter(({ key }) => key !== undefined).length;
  await close();
  return signed / PASSES;
}

/** A table of them, as lines of Markdown. */
export async function callTable(): Promise<string> {
  const rows: string[] = [];
  for (const name of Object.keys(VENUES) as VenueName[]) {
    const now = [await callsOf(name, 1), await callsOf(name, 2)].map((calls) => calls.toFixed(2));
    rows.push(`| ${name} | ${BEFORE[1]} | ${now[0]} | ${BEFORE[2]} | ${now[1]} |`);
  }
  return [
    "| signed calls of a quiet pass | one pair, before | now | two pairs, before | now |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}
