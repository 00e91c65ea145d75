import { describe, expect, it } from "vitest";
import {
  DEEP_DEPTH,
  opened,
  type PaperVenue,
  paperAccount,
  passOnPaper,
} from "../../src/backtest/paper-account.ts";
import { fillMeasurer, pastStrategy } from "../../src/backtest/position/backtest.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { mixHash, pseudorandomShare } from "../../src/kernel/hash.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { BookedOrder } from "../../src/market/matching.ts";
import type { BidAsk, Side } from "../../src/model/market.ts";
import type { Kind } from "../../src/ports/kind.ts";
import { quoteKind } from "../../src/quote/kind.ts";
import { quoteConfigOf } from "../../src/quote/start/planned-quote.ts";
import { newQuoteState, type QuoteStrategy } from "../../src/quote/state.ts";
import { d, market } from "../support/grid.ts";
import { quoteSettings } from "../support/starts.ts";
import { isWhole, most } from "../support/whole.ts";

const LEVELS = 2;
/** Promise: both sides within 1 % of the value, 95 % of the time. */
const PROMISED = { ticks: 100, up: 0.95 };

function quotes(defend: string): QuoteStrategy {
  const request = quoteSettings({
    exchange: "kraken",
    symbol: "BTC/USDT",
    spreadPercent: 0.4,
    size: 20,
    levels: LEVELS,
    gapPercent: 0.05,
    skewPercent: 0,
    volatilityFactor: 0,
    defend,
  });
  return {
    ...pastStrategy("quote-agents", "BTC/USDT", AGENT_START, {}),
    kind: "quote",
    version: 1,
    config: quoteConfigOf(request, { base: d("100"), quote: d("10000") }),
    state: newQuoteState(LEVELS, d("100")),
  };
}

const SEEDS = Array.from({ length: most(20, 4) }, (_, seed) => seed);
const seconds = most(3600, 1800);

/** A market of agents around one strategy's quotes: noise traders, a trader who knows the next price, and a sniper. */
const AGENT_MARKET = market({
  tick: d("0.01"),
  lot: d("0.001"),
  minAmount: d("0.001"),
  minNotional: d("1"),
  maker: 0n,
  taker: 0n,
});
const { tick } = AGENT_MARKET;
const QUOTE = kindsOf([quoteKind as unknown as Kind]);
const FIRST_TICKS = 10_000;
const AGENT_START = Date.UTC(2026, 0, 1);
const PASS_EVERY = 5 * SECOND;

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

interface Agents {
  /** Chance in a second that a noise trader comes. They pay up to a random distance from the value, 60 ticks on average. */
  readonly noise: number;
  /** Chance in a second that the informed trader, who knows the value 15 s later, takes one order. */
  readonly informed: number;
  /** Chance in a second that the value jumps; the sniper then takes every own order that it passed, before the next pass. */
  readonly jumps: number;
  /** Largest step of the value in a second, in ticks. */
  readonly step: number;
}

type Agent = Exclude<keyof Agents, "step">;

interface AgentOutcome {
  /** Value that each agent took from the quotes, at the value when it traded; negative if it paid. */
  readonly lost: Readonly<Record<Agent, number>>;
  readonly volume: number;
  /** Share of seconds with both sides open within the promised distance from the value, after the first pass. */
  readonly up: number;
  /** The same, of at least one side. */
  readonly oneUp: number;
  readonly defendedPasses: number;
}

/** A walk of the value in ticks: small steps, and jumps of 30 to 90 ticks. */
function valuesOf(
  seed: number,
  seconds: number,
  { jumps, step }: Agents,
): { ticks: number; jumped: boolean }[] {
  const random = (stream: number, at: number) => pseudorandomShare(mixHash(seed, stream), at);
  let ticks = FIRST_TICKS;
  return Array.from({ length: seconds }, (_, at) => {
    const jumped = random(1, at) < jumps;
    const jump = (30 + 60 * random(2, at)) * (random(3, at) < 0.5 ? -1 : 1);
    ticks = Math.round(ticks + (random(4, at) - 0.5) * 2 * step + (jumped ? jump : 0));
    return { ticks, jumped };
  });
}

/** Runs quotes among agents, second by second. `promised` is the widest distance of a side from the value, in ticks. */
function runAgents(
  strategy: QuoteStrategy,
  agents: Agents,
  { seed, seconds, promised }: { readonly seed: number; readonly seconds: number; readonly promised: number },
): AgentOutcome {
  const random = (stream: number, at: number) => pseudorandomShare(mixHash(seed, stream), at);
  const values = valuesOf(seed, seconds + 15, agents);
  const { budget } = strategy.config;
  const balances = [
    { asset: "BTC", free: budget.base, used: 0n },
    { asset: "USDT", free: budget.quote, used: 0n },
  ];
  const account = paperAccount(AGENT_MARKET, { balances, at: AGENT_START });
  let quote: BidAsk = { bid: 0n, ask: 0n, at: AGENT_START };
  const venue: PaperVenue = {
    ...account,
    quote: () => quote,
    place: (order) =>
      account.place(
        order,
        [{ price: order.side === "buy" ? quote.ask : quote.bid, amount: DEEP_DEPTH }],
        quote.at,
      ),
    cancel: (id) => account.cancel(id, quote.at),
  };
  const ticksOf = ({ price }: BookedOrder) => Number(price / tick);
  const bestOf = (side: Side): BookedOrder | undefined =>
    account
      .resting()
      .filter((order) => order.side === side)
      .sort((a, b) => (side === "buy" ? ticksOf(b) - ticksOf(a) : ticksOf(a) - ticksOf(b)))[0];
  /** How far the value has passed an order, in ticks: what its taker earns. */
  const edgeOf = (order: BookedOrder, value: number) =>
    order.side === "buy" ? ticksOf(order) - value : value - ticksOf(order);
  const lost = { noise: 0, informed: 0, jumps: 0 };
  let volume = 0;
  const take = (agent: Agent, order: BookedOrder, value: number) => {
    const amount = order.amount - order.filled;
    lost[agent] += (edgeOf(order, value) * Number(amount)) / 1e20;
    volume += (ticksOf(order) * Number(amount)) / 1e20;
    account.fill(order, amount, quote.at);
  };
  let paper = opened(strategy, PASS_EVERY);
  const measurer = fillMeasurer();
  let [up, oneUp, defendedPasses] = [0, 0, 0];
  for (let second = 0; second < seconds; second++) {
    const { ticks: value, jumped } = values[second] as { ticks: number; jumped: boolean };
    const at = AGENT_START + second * SECOND;
    quote = { bid: BigInt(value - 200) * tick, ask: BigInt(value + 200) * tick, at };
    if (jumped)
      for (const order of [...account.resting()]) if (edgeOf(order, value) > 0) take("jumps", order, value);
    const wanted: Side = random(6, second) < 0.5 ? "buy" : "sell";
    const best = bestOf(wanted);
    if (
      best &&
      random(5, second) < agents.noise &&
      -edgeOf(best, value) < -60 * Math.log(1 - random(7, second))
    )
      take("noise", best, value);
    const later = (values[second + 15] as { ticks: number }).ticks;
    const good = (["buy", "sell"] as const).map(bestOf).find((order) => order && edgeOf(order, later) > 0);
    if (good && random(8, second) < agents.informed) take("informed", good, later);
    if ((second * SECOND) % PASS_EVERY === 0) {
      const passed = passOnPaper(paper, AGENT_MARKET, venue, at, { kinds: QUOTE, measured: measurer.fills });
      paper = passed.account;
      measurer.addPass(passed.fills, quote);
      if (paper.strategy.state.notices.some(({ code }) => code === "defended")) defendedPasses++;
    }
    const isNear = (side: Side) => {
      const order = bestOf(side);
      return order !== undefined && -edgeOf(order, value) <= promised;
    };
    if (isNear("buy") && isNear("sell")) up++;
    if (isNear("buy") || isNear("sell")) oneUp++;
  }
  return { lost, volume, up: up / seconds, oneUp: oneUp / seconds, defendedPasses };
}
