import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GUARDS } from "../guards/guards.ts";
import { EDITION } from "../simulation/shape.ts";
import type { Bundled } from "./bundle.ts";
import { openChild } from "./child.ts";
import type { Ask, Covered, Unit } from "./units.ts";

const LONGEST = 240_000;
/** First seeds of each edition, of a number that no kept seed has. */
const FROM = 640_000;
const EDITIONS = [0, 1, 2, 3, 4, 5];

const seedsOf = (each: number, mirrored: boolean): Unit[] =>
  Array.from({ length: each }, (_, i) => i).flatMap((i) =>
    EDITIONS.map((edition): Unit => ({ kind: "seed", seed: edition * EDITION + FROM + i, mirrored })),
  );

const UNITS: readonly Unit[] = [
  ...seedsOf(12, false),
  ...seedsOf(2, true),
  ...GUARDS.map(({ name }): Unit => ({ kind: "deed", name })),
];

/** Everything that a result rests on, as a short text. */
export function digestOf(folders: readonly string[]): string {
  const hash = createHash("sha256");
  for (const folder of folders)
    for (const path of (readdirSync(folder, { recursive: true }) as string[]).sort())
      if (/\.(ts|mjs|sql)$/.test(path)) hash.update(path).update(readFileSync(join(folder, path)));
  return hash.digest("hex").slice(0, 16);
}

export interface Coverage {
  readonly covered: readonly Covered[];
  /** What fails without any change, and so can notice none. */
  readonly failed: readonly string[];
}

/** What has been found out so far, by what was asked. */
export type Found = Record<string, Coverage>;

interface How {
  readonly workers: number;
  readonly found: Found;
  readonly isOver: () => boolean;
  readonly told: (left: number) => void;
}

/** What each test, seed and deed comes across, found out once; goes on from what was found before. */
export async function cover(bundled: Bundled, { workers, found, isOver, told }: How): Promise<boolean> {
  const asks = [
    ...Object.keys(bundled.tests).map((file): Ask => ({ kind: "cover", file })),
    ...UNITS.map((unit): Ask => ({ kind: "cover unit", unit })),
  ].filter((ask) => !(JSON.stringify(ask) in found));
  const work = async () => {
    const child = openChild(bundled);
    for (let ask = isOver() ? undefined : asks.shift(); ask; ask = isOver() ? undefined : asks.shift()) {
      const key = JSON.stringify(ask);
      const first = await child.ask(ask, LONGEST);
      // What another one has left behind ends it: once more, in a process of its own.
      const answer = typeof first === "string" ? await child.ask(ask, LONGEST) : first;
      if (typeof answer === "string") found[key] = { covered: [], failed: [`${key}: ${answer}`] };
      else if (answer.kind === "covered") found[key] = { covered: answer.covered, failed: answer.failed };
      told(asks.length);
    }
    await child.end();
  };
  await Promise.all(Array.from({ length: workers }, work));
  return asks.length === 0;
}
