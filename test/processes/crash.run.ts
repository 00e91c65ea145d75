import { expect, it } from "vitest";
import { CLEAN } from "../support/audit.ts";
import { tempFolder } from "../support/temp.ts";
import { candles, crash } from "./crash.ts";

if (!candles) console.warn("the candles of January 2022 are not here (../shared/data): prices are generated");

it("killed ten times in a month, grids have their orders again, and their ledgers are the account's", async () => {
  const seed = process.env.FRESH ? Math.floor(Math.random() * 1_000_000) : 261_126;
  const run = { seed, kills: 10, life: 7000, speed: 36_000, byHand: false };
  const { whole, wholeAfter, audits } = await crash(tempFolder(), run);
  process.stdout.write(`\ngrids whole ${Math.round(wholeAfter)} ms after the last of ten kills\n`);
  // An hour passes between two steps: a slot may wait one for its neighbour, whose order it would cross.
  const refused = whole.flatMap((grid) => grid.refused.map(({ reason }) => reason));
  expect(
    refused.filter((reason) => reason !== "would_self_cross"),
    `seed ${seed}`,
  ).toEqual([]);
  for (const { cycles } of whole) expect(cycles).toBeGreaterThan(0);
  for (const audit of audits) expect(audit, `seed ${seed}`).toMatchObject(CLEAN);
});
