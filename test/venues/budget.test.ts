import { expect, it } from "vitest";
import { runBudget } from "./budget-run.ts";

// A part of what `npm run soak -- --kraken-budget` does, by a clock that moves when told.
it.each(["starter", "intermediate", "pro"] as const)(
  "kraken's rate limit of tier %s covers two grids and a person",
  async (tier) => {
    const rounds = 12;
    const { answers, limited, left, status, calls } = await runBudget({ tier, rounds });
    expect(answers).toEqual({ 200: 3 * rounds });
    expect(limited).toBe(0);
    expect({ left, status }).toEqual({ left: 0, status: "stopped" });
    expect(calls).toMatchObject({ balance: rounds, create: rounds, cancel: rounds });
  },
);
