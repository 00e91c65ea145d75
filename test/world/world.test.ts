import { describe, expect, it } from "vitest";
import { isWhole } from "../support/whole.ts";
import { explore } from "./explore.ts";
import type { Setting } from "./setting.ts";
import { story } from "./tell.ts";
import { walkOf, weaken } from "./walks.ts";
import { NO_WAIT_FOR_TRADES, WEAKENED } from "./weakened.ts";

/** `npm run world` walks more slots, and more moves. */
const SMALL: readonly Setting[] = [
  { name: "reads of now", slots: 1, reads: "fresh", menu: "all" },
  { name: "old reads, what befalls orders", slots: 1, reads: "old", menu: "orders" },
  { name: "old reads, passes at any moment", slots: 1, reads: "old", menu: "hints" },
];

describe("the model of the world", () => {
  it.each(SMALL)("recovers from every state one move away from a quiet day: $name", async (setting) => {
    const { found, isWhole: isComplete, byMoves, awaits } = await explore(setting, { moves: 1 });
    expect(found && (await story(setting, found))).toBeUndefined();
    expect(isComplete).toBe(true);
    expect(byMoves[1]).toBeGreaterThan(setting.menu === "hints" ? 100 : 500);
    expect(awaits).toBeGreaterThan(40);
  });

  it.runIf(isWhole)(
    "needs open orders read before trades only if nothing else waits for trades",
    async () => {
      const setting: Setting = { name: "orders", slots: 1, reads: "fresh", menu: "orders" };
      const request = { setting, moves: 1, seconds: 600, of: "clock" as const };
      const stands = await walkOf({ name: "no wait for trades", edits: NO_WAIT_FOR_TRADES }, request);
      expect([stands.story, stands.isWhole]).toEqual([undefined, true]);
      const swapped = WEAKENED.find(({ name }) => name.startsWith("trades are read before open orders"));
      const { story: result } = await walkOf(swapped, request);
      expect(result?.at(-1)).toMatch(/buys \d+ though its slot holds/);
    },
  );

  it.runIf(isWhole)("describes in words how a protocol without one of its parts fails", async () => {
    const mutant = WEAKENED.find(({ name }) => name === "the intent does not ask for a stop");
    const { by } = await weaken(mutant as (typeof WEAKENED)[number], 120, 1);
    expect(by?.story?.join("\n")).toMatch(
      /a person: (stop|pause)[\s\S]*was recorded though its grid is to (stop|pause)/,
    );
  });
});
