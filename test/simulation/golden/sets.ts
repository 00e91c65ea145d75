/** Seeds whose requests to the exchange are stored as hashes: a change of the code that is to change none is compared with them. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Request } from "../requests.ts";
import { evenRequestsOf, simulate } from "../run.ts";
import { EDITION, type Shape } from "../shape.ts";

export interface GoldenSet {
  readonly name: string;
  readonly count: number;
  readonly strategy?: Shape["strategy"];
  /** With the faults of the edition, and until all has come right; without any otherwise. */
  readonly faults?: true;
}

export const GOLDEN_SETS: readonly GoldenSet[] = [
  { name: "grids", count: 1000 },
  { name: "quotes", count: 1000, strategy: "quote" },
  { name: "examples", count: 200, strategy: "example" },
  { name: "declared", count: 100, strategy: "declared" },
  { name: "grids-faults", count: 200, faults: true },
  { name: "quotes-faults", count: 150, strategy: "quote", faults: true },
  { name: "examples-faults", count: 50, strategy: "example", faults: true },
];

const TICKS = 100;
/** The editions that were there when the hashes were first stored. */
const STORED_EDITIONS = 18;
const HASH_DIGITS = 10;

/** Seeds of all editions in equal parts. */
export const seedsOf = ({ count }: GoldenSet): readonly number[] =>
  Array.from({ length: count }, (_, place) => {
    const edition = place % STORED_EDITIONS;
    return edition * EDITION + Math.floor(place / STORED_EDITIONS);
  }).sort((a, b) => a - b);

export async function goldenRequests(
  { strategy, faults }: { readonly strategy?: Shape["strategy"] | undefined; readonly faults?: true },
  seed: number,
): Promise<readonly Request[]> {
  const options = { seed, ticks: TICKS, ...(strategy ? { strategy } : {}) };
  return faults ? (await simulate(options)).requests : evenRequestsOf(options);
}

/** Returns the stored line of a seed: its number, its edition, the number of its requests, and their hash. */
export async function goldenLine(set: GoldenSet, seed: number): Promise<string> {
  const requests = await goldenRequests(set, seed);
  // Not by the program's own hash: a change of that one would change every line.
  const hash = createHash("sha256").update(requests.map(({ line }) => `${line}\n`).join(""));
  const edition = Math.floor(seed / EDITION) + 1;
  return `${seed} ${edition} ${requests.length} ${hash.digest("hex").slice(0, HASH_DIGITS)}`;
}

export const pathOf = ({ name }: GoldenSet): string => join("test/simulation/golden", `${name}.txt`);

/** Returns the stored line of each seed. */
export function storedLines(set: GoldenSet): ReadonlyMap<number, string> {
  const lines = readFileSync(pathOf(set), "utf8").split("\n").filter(Boolean);
  return new Map(lines.map((line) => [Number.parseInt(line, 10), line]));
}
