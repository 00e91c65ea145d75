import { describe, expect, it } from "vitest";
import { isWhole } from "../support/whole.ts";
import { choicesOf } from "./choices.ts";
import { explore, type Watch } from "./explore.ts";
import { fingerprint, fingerprintOnward } from "./fingerprint.ts";
import { make } from "./moves.ts";
import { atRest } from "./rest.ts";
import type { Setting } from "./setting.ts";
import { copyOf, firstOf, type Move, type State } from "./state.ts";
import { walkAll } from "./walks.ts";

const one = (menu: Setting["menu"], reads: Setting["reads"]): Setting => ({
  name: `${menu}, ${reads} reads`,
  slots: 1,
  reads,
  menu,
});

const WALKED = [
  [one("restores", "fresh"), 2],
  [one("processes", "fresh"), 1],
  [one("orders", "old"), 1],
  [one("all", "fresh"), 1],
] as const;

const labelOf = (move: Move, { now }: State): string =>
  JSON.stringify(move.kind === "begin" ? { ...move, at: move.at - now } : move);

/** Without what counts and names: ids, and how much an account has moved in all. */
const unnamed = (text: string): string => text.replace(/[0-9a-z]*\d[0-9a-z]*/g, "#");

describe("states that count as one", () => {
  it.each(isWhole ? WALKED : WALKED.slice(1, 2))("are equivalent: $name", async (setting, moves) => {
    const { watch, compared, differ } = alike();
    const { isWhole: isComplete } = await explore(setting, { moves, watch });
    expect(isComplete).toBe(true);
    expect(compared()).toBeGreaterThan(200);
    expect(differ).toEqual([]);
  });

  it("are detected if they are not", async () => {
    const { watch, differ } = alike();
    const [state, killed] = [await firstOf(one("people", "fresh")), await firstOf(one("people", "fresh"))];
    await make(killed, { kind: "person", does: "kill on" });
    await watch({ key: 1, state, isLast: false, isKnown: false });
    await watch({ key: 1, state: killed, isLast: false, isKnown: true });
    expect(differ).toHaveLength(1);
    expect(differ[0]?.what.join("\n")).toMatch(/kill off/);
  });
});

describe("two threads that explore one state space", () => {
  it("visit each state once", async () => {
    const setting = one("orders", "fresh");
    const { states, rests, transitions, byMoves } = await explore(setting, { moves: 1 });
    const request = { setting, moves: 1, seconds: 600, of: "clock" as const };
    const [walked] = await walkAll([request], { threads: 2 });
    expect(walked).toMatchObject({ states, rests, transitions, byMoves, isWhole: true });
  });
});

/*
 * Two states that count as one have to be alike: the same may happen in both, breaks the same, and leads to states
 * that count as one again. Where that holds of each two that a walk has taken for one, it misses nothing by not
 * walking the second.
 */

interface Alike {
  readonly watch: Watch;
  /** How many were compared. */
  readonly compared: () => number;
  /** In words, what may happen after the one and after the other. */
  readonly differ: readonly Difference[];
}

interface Difference {
  readonly one: State;
  readonly other: State;
  readonly what: readonly string[];
}

/** Compares every so many-th state that a walk takes for one that it knows with the first of its kind. */
function alike(every = 1): Alike {
  const firsts = new Map<number, State>();
  const onwardFirsts = new Map<number, State>();
  const differ: Difference[] = [];
  let [met, compared] = [0, 0];
  const watch: Watch = async ({ key, state, isLast, isKnown }) => {
    if (!isKnown) {
      const copy = copyOf(state);
      if (!isLast) firsts.set(key, copy);
      const onward = isLast ? key : fingerprintOnward(state);
      if (!onwardFirsts.has(onward)) onwardFirsts.set(onward, copy);
      return;
    }
    if (met++ % every > 0) return;
    compared++;
    const one = (isLast ? onwardFirsts : firsts).get(key) as State;
    const [mine, yours] = [await after(one, isLast), await after(state, isLast)];
    const only = (some: readonly string[], others: readonly string[]) =>
      some.filter((text) => !others.includes(text));
    const what = [
      ...only(mine, yours).map((text) => `- ${text}`),
      ...only(yours, mine).map((text) => `+ ${text}`),
    ];
    if (what.length > 0) differ.push({ one, other: copyOf(state), what });
  };
  return { watch, compared: () => compared, differ };
}

/** What may happen in a state, each with what it comes to. */
async function after(state: State, isLast: boolean): Promise<string[]> {
  const { next, others } = await choicesOf(copyOf(state));
  if (!next) return [`rest ${atRest(state).map(unnamed).join()}`];
  const lines: string[] = [];
  for (const { move, cost } of [{ move: next, cost: 0 }, ...others]) {
    if (isLast && cost > 0) continue;
    const copy = copyOf(state);
    await make(copy, move);
    const key = isLast ? fingerprintOnward(copy) : fingerprint(copy);
    lines.push(`${labelOf(move, state)} ${key} ${copy.broken.map(unnamed).join()}`);
  }
  return lines;
}
