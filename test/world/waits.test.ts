import { describe, expect, it } from "vitest";
import { most } from "../support/whole.ts";
import { choicesOf } from "./choices.ts";
import { explore, type Limits } from "./explore.ts";
import { fingerprint, fingerprintOnward } from "./fingerprint.ts";
import { knownHere, knownTogether, sharedKnown } from "./known.ts";
import { make } from "./moves.ts";
import type { Setting } from "./setting.ts";
import { copyOf, firstOf, type State } from "./state.ts";

type Bounds = Required<Pick<Limits, "moves" | "waits">>;

/** Every state within the bounds, taking two for one only where also moves and waits are the same. */
async function reached(setting: Setting, { moves, waits }: Bounds): Promise<Set<number>> {
  const observed = new Set<string>();
  const found = new Set<number>();
  const waiting: State[] = [await firstOf(setting)];
  for (let state = waiting.pop(); state; state = waiting.pop()) {
    const mark = `${fingerprint(state)} ${state.cost} ${state.awaits}`;
    if (observed.has(mark)) continue;
    observed.add(mark);
    found.add(fingerprintOnward(state));
    const { next, others } = await choicesOf(state);
    if (!next || state.awaits >= waits) continue;
    for (const { move, cost } of [{ move: next, cost: 0 }, ...others]) {
      if (state.cost + cost > moves) continue;
      const copy = copyOf(state);
      copy.cost += cost;
      await make(copy, move);
      waiting.push(copy);
    }
  }
  return found;
}

const one = (menu: Setting["menu"], reads: Setting["reads"]): Setting => ({
  name: `${menu}, ${reads} reads`,
  slots: 1,
  reads,
  menu,
});

const CUT_OFF: readonly (readonly [Setting, Bounds])[] = [
  [one("orders", "fresh"), { moves: 1, waits: 24 }],
  [one("processes", "old"), { moves: 2, waits: 12 }],
];

describe("traces that are cut off after a number of waits", () => {
  it.each(CUT_OFF.slice(0, most(2, 1)))("reach every state within it: $name", async (setting, bounds) => {
    const walked = new Set<number>();
    let again = 0;
    const { isWhole, awaits, cuts } = await explore(setting, {
      ...bounds,
      watch: async ({ state, isKnown }) => {
        const key = fingerprintOnward(state);
        if (!isKnown && walked.has(key)) again++;
        walked.add(key);
      },
    });
    expect(isWhole).toBe(true);
    expect(awaits).toBe(bounds.waits);
    expect(cuts).toBeGreaterThan(5);
    // Some are walked on from again, because they are reached after fewer waits.
    expect(again).toBeGreaterThan(0);
    expect(walked).toEqual(await reached(setting, bounds));
  });

  it.each([
    ["alone", knownHere()],
    ["beside others", knownTogether(sharedKnown(8))],
  ])("distinguish a known state from one reached after fewer waits: %s", (_who, known) => {
    const key = 2 ** 52 - 5;
    const met = [known.meet(key, 7), known.meet(key, 7), known.meet(key, 5), known.meet(key, 6)];
    expect(met).toEqual(["new", "known", "nearer", "known"]);
    expect(known.meet(key - 8, 9)).toBe("new");
    expect(known.meet(key, 0)).toBe("nearer");
  });
});
