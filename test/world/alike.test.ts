import { describe, expect, it } from "vitest";
import { isWhole } from "../support/whole.ts";
import { alike } from "./alike.ts";
import { explore } from "./explore.ts";
import { make } from "./moves.ts";
import type { Setting } from "./setting.ts";
import { firstOf } from "./state.ts";
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
