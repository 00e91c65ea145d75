import { describe, expect, it } from "vitest";
import { pastStrategy } from "../../src/backtest/position/backtest.ts";
import { quoteInput } from "../../src/quote/schema/input.ts";
import { quoteConfigOf } from "../../src/quote/start/planned-quote.ts";
import { newQuoteState, type QuoteStrategy } from "../../src/quote/state/state.ts";
import { d } from "../support/grid.ts";
import { isWhole, most } from "../support/whole.ts";
import { AGENT_START, type AgentOutcome, type Agents, runAgents } from "./agents.ts";

const LEVELS = 2;
/** Promise: both sides within 1 % of the value, 95 % of the time. */
const PROMISED = { ticks: 100, up: 0.95 };

function quotes(defend: string): QuoteStrategy {
  const request = quoteInput(["kraken"]).parse({
    exchange: "kraken",
    symbol: "BTC/USDT",
    spread: 0.004,
    size: 20,
    levels: LEVELS,
    gap: 0.0005,
    skew: 0,
    volatilityFactor: 0,
    defend,
  });
  return {
    ...pastStrategy("quote-agents", "BTC/USDT", AGENT_START),
    kind: "quote",
    version: 1,
    config: quoteConfigOf(request, { base: d("100"), quote: d("10000") }),
    state: newQuoteState(LEVELS, d("100")),
  };
}

const SEEDS = Array.from({ length: most(20, 4) }, (_, seed) => seed);
const seconds = most(3600, 1800);
const runs = (defend: string, agents: Agents): AgentOutcome[] =>
  SEEDS.map((seed) => runAgents(quotes(defend), agents, { seed, seconds, promised: PROMISED.ticks }));
const total = (outcomes: readonly AgentOutcome[], of: (one: AgentOutcome) => number) =>
  outcomes.reduce((sum, one) => sum + of(one), 0);

const NOISE: Agents = { noise: 0.05, informed: 0, jumps: 0, step: 2 };
const ALL: Agents = { noise: 0.05, informed: 1 / 30, jumps: 1 / 60, step: 2 };

describe("quotes that are defended", () => {
  it("lose at most half as much to a sniper, while they keep their promise", () => {
    const [plain, defended] = [runs("off", ALL), runs("60:120", ALL)];
    const lostTo = (agent: "jumps" | "informed") =>
      [plain, defended].map((all) => total(all, ({ lost }) => lost[agent]));
    const [before = 0, after = 0] = lostTo("jumps");
    const [known = 0, knownAfter = 0] = lostTo("informed");
    const up = [plain, defended].map((all) => total(all, (one) => one.up) / SEEDS.length);
    console.info(
      `${SEEDS.length} seeds: lost to the sniper ${before.toFixed(1)} without and ${after.toFixed(1)} with a defence, to the informed trader ${known.toFixed(1)} and ${knownAfter.toFixed(1)}; uptime ${up.map((one) => (100 * one).toFixed(1)).join(" and ")} %`,
    );
    expect(before).toBeGreaterThan(0);
    expect(after).toBeLessThanOrEqual(before / 2);
    expect(knownAfter).toBeLessThan(known);
    expect(defended.every((one) => one.defendedPasses > 0)).toBe(true);
    expect(defended.every((one) => one.up >= PROMISED.up)).toBe(true);
  });

  it.each(isWhole ? [2, 6, 9] : [6])(
    "trade as much as before with noise traders alone, at steps of %i ticks",
    (step) => {
      const agents = { ...NOISE, step };
      const [plain, defended] = [runs("off", agents), runs("60:120", agents)].map((all) =>
        total(all, ({ volume }) => volume),
      ) as [number, number];
      console.info(
        `${SEEDS.length} seeds: volume ${plain.toFixed(0)} without and ${defended.toFixed(0)} with a defence`,
      );
      expect(plain).toBeGreaterThan(0);
      expect(Math.abs(defended / plain - 1)).toBeLessThanOrEqual(0.05);
    },
  );

  it("keep one side open if a side is paused", () => {
    const paused = runs("pause:12", ALL);
    const plain = runs("off", ALL);
    expect(total(paused, ({ lost }) => lost.jumps)).toBeLessThan(total(plain, ({ lost }) => lost.jumps));
    expect(paused.every((one) => one.oneUp >= PROMISED.up)).toBe(true);
  });
});
