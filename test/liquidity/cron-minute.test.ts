import { expect, it } from "vitest";
import { liquidityStore } from "../../src/adapters/libsql/stores/liquidity-store.ts";
import { tick } from "../../src/engine/pass/tick.ts";
import { mix, share } from "../../src/kernel/hash.ts";
import { MINUTE, SECOND } from "../../src/kernel/time.ts";
import { sampleFirst } from "../../src/liquidity/operations/sample.ts";
import type { LiquidityAnswer } from "../../src/liquidity/schema.ts";
import { minuteOf } from "../../src/model/samples/minute.ts";
import type { VenueName } from "../../src/model/venues.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { quoteInput } from "../../src/quote/schema/input.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { runOperation, START } from "../support/sandbox.ts";
import { isWhole, most } from "../support/whole.ts";

const PAIR = "BTC/USDT";
const SEED = 21;
/** The market moves, and the exchange is looked at, so often. */
const MOVES: number = 5 * SECOND;
const LEFT = { requests: 20, within: 5 * SECOND };

/** In which minutes what befalls it; each lasts three. */
const TROUBLES = { away: 8, paused: 16, unattended: 24 };
const isIn = (minute: number, first: number): boolean => minute >= first && minute < first + 3;
/** The virtual clock sleeps at once: no look is given up here. */
const patient = (millis: number) => new Promise<void>((resolve) => millis === 0 && resolve());

/** Quotes that one cron a minute steps, in a market that walks on meanwhile, over a thin and random book. */
async function cronMinutes(name: VenueName, minutes: number) {
  const setup = await emulatedExchanges({ names: [name], seed: SEED });
  let drawn = 0;
  const random = () => share(mix(SEED, 1), ++drawn);
  try {
    const { time, context } = setup;
    const pair = { exchange: name, symbol: PAIR } as const;
    const liquidity = { store: liquidityStore(context), pairs: [pair] };
    const deps: Deps = { ...setup.deps, interval: MINUTE, liquidity };
    const observed = async () => (await liquidity.store.minutes(pair, 0, minuteOf(time.now()) + 1)).length;
    const exchange = setup.exchange(name);
    const request = quoteInput([name]).parse({
      ...{ ...pair, spread: 0.004, levels: 1, size: 100, volatilityFactor: 0 },
      ...{ quoteBudget: 2000, baseBudget: 0.03, useOthers: false },
    });
    exchange.thin(PAIR, SEED);
    const { id } = await runOperation<{ id: string }>(deps, "start_quote", request);
    const isUp = () => new Set(exchange.open().map(({ side }) => side)).size === 2;
    let [isAway, price] = [false, 60_000];
    const up = { looks: 0, moves: 0 };
    exchange.chance(() => (isAway || random() < 0.01 ? { kind: "bad_gateway", acts: false } : undefined));
    for (let minute = 0; minute < minutes; minute++) {
      isAway = isIn(minute, TROUBLES.away);
      if (minute === TROUBLES.paused) await runOperation(deps, "pause_quote", { id });
      if (minute === TROUBLES.paused + 3) await runOperation(deps, "resume_quote", { id });
      if (!isIn(minute, TROUBLES.unattended)) {
        const [wasUp, before] = [isUp(), await observed()];
        await sampleFirst({ ...deps, local: { ...deps.local, sleep: patient } }, LEFT);
        if (wasUp && (await observed()) > before) up.looks++;
        await tick(deps);
      }
      for (let at = 0; at < MINUTE; at += MOVES) {
        price += (random() - 0.5) * 120;
        exchange.move(PAIR, String(Math.round(price)));
        time.pass(MOVES);
        exchange.advance();
        if (isUp()) up.moves++;
      }
    }
    const result = await runOperation<LiquidityAnswer>(deps, "get_liquidity_report", pair);
    return {
      result,
      looks: (100 * up.looks) / result.known,
      moves: (100 * up.moves * MOVES) / (minutes * MINUTE),
    };
  } finally {
    await setup.close();
  }
}

it.each<VenueName>(isWhole ? ["kraken", "mexc", "bitget", "gateio"] : ["mexc"])(
  "on %s the report of a cron minute shows exactly what the exchange recorded",
  async (name) => {
    const minutes = most(240, 32);
    const { result, looks, moves } = await cronMinutes(name, minutes);
    // Another's order at the very price where ours has filled looks like ours in a public book.
    const mistaken = ((result.own.twoSidedPercent ?? 0) - looks) * (result.known / 100);
    expect(mistaken).toBeGreaterThan(-1e-6);
    expect(mistaken).toBeLessThan(1 + minutes / 100);
    expect(result.own.twoSidedPercent).toBeLessThan(moves);
    const gapsIn = (first: number) =>
      result.gaps
        .filter(({ from, to }) => from < START + (first + 3) * MINUTE && to > START + first * MINUTE)
        .map(({ what, cause }) => `${what} ${cause}`);
    expect(gapsIn(TROUBLES.away)).toContain("unseen exchange");
    expect(gapsIn(TROUBLES.paused)).toContain("absent pause");
    expect(gapsIn(TROUBLES.unattended)).toContain("unseen ours");
    // Between two passes it has traded, and what has filled was away.
    expect(
      result.gaps.filter(({ what, cause }) => what === "absent" && cause === "ours").length,
    ).toBeGreaterThan(2);
  },
);
