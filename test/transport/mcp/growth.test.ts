import { describe, expect, it } from "vitest";
import type { Exposure } from "../../../src/model/proposal.ts";
import { exceedsPlan, needsApproval, ownerTexts } from "../../../src/transport/mcp/plans.ts";
import { d } from "../../support/grid.ts";

const known = (base: string, quote: string, exits = "0"): Exposure => ({
  trades: "known",
  symbol: "BTC/USDT",
  base: d(base),
  quote: d(quote),
  exits: d(exits),
  counted: d("1"),
  largest: d("1"),
});
const UNKNOWN: Exposure = { trades: "unknown", why: "no price" };

describe("a commit", () => {
  it("may use a twentieth more than its plan showed, of each part", () => {
    const shown = known("2", "100", "40");
    expect(exceedsPlan(known("2.1", "105", "42"), shown)).toBeUndefined();
    for (const more of [known("2.11", "100", "40"), known("2", "105.1", "40"), known("2", "100", "42.1")])
      expect(exceedsPlan(more, shown)?.message).toMatch(
        /^this can trade more than its plan showed: it could now /,
      );
    expect(exceedsPlan(known("0", "0.01"), { trades: "nothing" })).toBeDefined();
    expect([exceedsPlan(UNKNOWN, UNKNOWN), exceedsPlan({ trades: "nothing" }, shown)]).toEqual([
      undefined,
      undefined,
    ]);
    expect(exceedsPlan(UNKNOWN, shown)?.message).toContain("the amount is unknown now");
  });

  it("needs a person's approval if one exchange is live, unless the settings say otherwise", () => {
    const needs = (kinds: string[], confirm?: "plan" | "terminal") =>
      needsApproval({
        settings: { trading: true, confirm },
        deps: { exchanges: kinds.map((kind) => ({ kind })) },
      } as never);
    expect([needs(["sandbox", "live"]), needs(["sandbox"]), needs(["live"])]).toEqual([true, false, true]);
    expect([needs(["live"], "plan"), needs(["sandbox"], "terminal")]).toEqual([false, true]);
  });

  it("changes only strategies that the agent's token started, by default", async () => {
    const owners = (strategies?: "own" | "all") =>
      ownerTexts({ strategies: async () => ["g"] }, { actor: "tok_a" } as never, {
        deps: { store: { starterOf: async () => "admin" } } as never,
        settings: { trading: true, ...(strategies ? { strategies } : {}) },
      });
    await expect(owners()).rejects.toThrow("g was started by admin, and agents can only change strategies");
    await expect(owners("own")).rejects.toThrow("g was started by admin");
    expect(await owners("all")).toEqual([
      "this changes a strategy of another caller: g was started by admin",
    ]);
  });
});
