import { expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { mixHash, pseudorandomShare } from "../../src/kernel/hash.ts";
import { MINUTE, SECOND } from "../../src/kernel/time.ts";
import type { LiquidityReport } from "../../src/liquidity/agreement-page.tsx";
import { sampleFirst, sampleLiquidity } from "../../src/liquidity/operations/sample.ts";
import { createLiquidityStore, type LiquidityDeps } from "../../src/liquidity/store/store.ts";
import type { VenueName } from "../../src/model/market.ts";
import { minuteOf } from "../../src/model/samples/sample.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { soleMarket } from "../support/liquidity-minute.ts";
import { runOperation, START } from "../support/sandbox.ts";
import { readStarts } from "../support/starts.ts";
import { isWhole, most } from "../support/whole.ts";

const PAIR = "BTC/USDT";
const SEED = 21;
/** The market moves this often. */
const MOVES: number = 5 * SECOND;
const LEFT = { requests: 20, within: 5 * SECOND };

/** Each request and each response takes this long. */
const LATENCY = 20;

/** What happens in which minutes of each half hour; each takes three minutes. */
const TROUBLES = { outage: 4, pause: 9, downtime: 14, withdrawal: 19, restart: 24 };
const CYCLE = 30;
const isIn = (minute: number, first: number): boolean =>
  minute % CYCLE >= first && minute % CYCLE < first + 3;
/** The virtual clock sleeps at once: no sample is given up. */
const patient = (millis: number) => new Promise<void>((resolve) => millis === 0 && resolve());

interface Deployment {
  readonly every: number;
  readonly isCron: boolean;
}
const NODE: Deployment = { every: 5 * SECOND, isCron: false };
const CRON: Deployment = { every: MINUTE, isCron: true };

/** Adds up by minute for how long a state holds; it is observed at every change. */
function trueUptime(now: () => number, isUp: () => boolean) {
  const millis = new Map<number, number>();
  let [since, wasUp] = [now(), isUp()];
  return {
    of: (minute: number) => millis.get(minute) ?? 0,
    observe() {
      for (let from = since; wasUp && from < now(); ) {
        const [minute, to] = [minuteOf(from), Math.min(now(), (minuteOf(from) + 1) * MINUTE)];
        millis.set(minute, (millis.get(minute) ?? 0) + to - from);
        from = to;
      }
      [since, wasUp] = [now(), isUp()];
    },
  };
}

/** Quotes in a market that walks over a thin book, and how long the exchange had them on both sides, by minute. */
async function quotedMinutes(name: VenueName, minutes: number, { every, isCron }: Deployment) {
  const setup = await emulatedExchanges({
    names: [name],
    seed: SEED,
    ...(isCron ? {} : { timing: { backoff: { first: every, max: every } } }),
  });
  let drawn = 0;
  const random = () => pseudorandomShare(mixHash(SEED, 1), ++drawn);
  try {
    const { time, context } = setup;
    const pair = { exchange: name, symbol: PAIR } as const;
    const liquidity = { store: createLiquidityStore(context), pairs: [pair] };
    const withSamples = (deps: LiquidityDeps): LiquidityDeps => ({ ...deps, interval: every, liquidity });
    let deps = withSamples(setup.deps);
    const exchange = setup.exchange(name);
    const request = {
      ...pair,
      spreadPercent: 0.4,
      levels: 2,
      size: 100,
      volatilityFactor: 0,
      quoteBudget: 2000,
      baseBudget: 0.03,
      useOthers: false,
    };
    exchange.thin(PAIR, SEED);
    const { id } = await runOperation<{ id: string }>(deps, ...readStarts("quote", request));
    const truth = trueUptime(time.now, () => new Set(exchange.open().map(({ side }) => side)).size === 2);
    exchange.engine.listeners.add(truth.observe);
    let [isAway, price] = [false, 60_000];
    exchange.chance(() => {
      if (isAway || random() < 0.01) return { kind: "bad_gateway", acts: false };
      time.pass(LATENCY);
      // The exchange acts before the promise runs.
      return { kind: "slow", until: Promise.resolve().then(() => time.pass(LATENCY)) };
    });
    const pass = async () => {
      if (isCron) await sampleFirst({ ...deps, local: { ...deps.local, sleep: patient } }, LEFT);
      await runRound(deps);
      if (!isCron) await sampleLiquidity(deps);
    };
    const befall = async (minute: number) => {
      isAway = isIn(minute, TROUBLES.outage);
      const place = minute % CYCLE;
      if (place === TROUBLES.pause) await runOperation(deps, "pause_strategy", { id });
      if (place === TROUBLES.pause + 3) await runOperation(deps, "resume_strategy", { id });
      if (place === TROUBLES.withdrawal) exchange.deposit("BTC", "-0.9");
      if (place === TROUBLES.withdrawal + 3) exchange.deposit("BTC", "0.9");
      if (place === TROUBLES.restart) deps = withSamples(setup.restarted());
    };
    const begun = time.now();
    for (let minute = 0; minute < minutes; minute++) {
      await befall(minute);
      for (let at = 0; at < MINUTE; at += MOVES) {
        if (at % every === 0 && !isIn(minute, TROUBLES.downtime)) await pass();
        price += (random() - 0.5) * 120;
        exchange.move(PAIR, String(Math.round(price)));
        time.pass(Math.max(0, begun + minute * MINUTE + at + MOVES - time.now()));
        exchange.advance();
        truth.observe();
      }
    }
    // Stores the last minute.
    exchange.chance(undefined);
    await pass();
    const result = await runOperation<LiquidityReport>(deps, "get_liquidity_report", pair).then(soleMarket);
    const known = (await liquidity.store.minutes(pair, 0, minuteOf(time.now()))).map(({ minute }) => minute);
    const trueMillis = known.reduce((sum, minute) => sum + truth.of(minute), 0);
    return { result, known: known.length, truth: (100 * trueMillis) / (known.length * MINUTE) };
  } finally {
    await setup.close();
  }
}

const names: readonly VenueName[] = isWhole ? ["kraken", "mexc", "bitget", "gateio"] : ["bitget"];
/** `MINUTES=10080` runs a week, for hours of a processor. */
const { MINUTES } = process.env;
const DEPLOYMENTS = [
  { text: "a server", deployment: NODE, within: 0.5, minutes: Number(MINUTES ?? 27) },
  { text: "a cron", deployment: CRON, within: 2, minutes: Number(MINUTES ?? most(90, CYCLE)) },
] as const;

// A server makes twelve passes a minute: `npm run test:heavy` has the time for them.
it.each(DEPLOYMENTS.slice(most(0, 1)).flatMap((run) => names.map((name) => ({ ...run, name }))))(
  "on $name, $text reports the uptime within $within points of the truth, and shows its gaps",
  async ({ name, text, deployment, within, minutes }) => {
    const { result, truth, known } = await quotedMinutes(name, minutes, deployment);
    const reported = result.own.twoSidedPercent ?? 0;
    if (MINUTES) console.info(`${name}, ${text}: reported ${reported} %, true ${truth} %`);
    expect(Math.abs(reported - truth)).toBeLessThan(within);
    expect([truth > 20, truth < 99]).toEqual([true, true]);
    // Only the minutes of the outage and of the downtime have no sample.
    expect([result.known, (minutes - known) / minutes]).toEqual([known, expect.closeTo(6 / CYCLE, 1)]);
    expect(result.timed).toBeGreaterThan(0.9 * known);
    const gapsIn = (first: number) =>
      result.gaps
        .filter(({ from, to }) => to > START + first * MINUTE && from < START + (first + 3) * MINUTE)
        .map(({ what, cause }) => `${what} ${cause}`);
    expect(gapsIn(TROUBLES.outage)).toContain("unseen exchange");
    expect(gapsIn(TROUBLES.pause)).toContain("absent pause");
    expect(gapsIn(TROUBLES.downtime)).toContain("unseen ours");
  },
);
