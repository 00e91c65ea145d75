import { describe, expect, it } from "vitest";
import { checkAllAlarms } from "../../src/compose/alarm-checks.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import { sampleLiquidity } from "../../src/liquidity/operations/sample.ts";
import {
  createAgreementStore,
  createLiquidityStore,
  type LiquidityDeps,
} from "../../src/liquidity/store/store.ts";
import type { PromisedPair } from "../../src/model/samples/promise.ts";
import { appOver } from "../support/app.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";

const KRAKEN = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const NEW = {
  agreement: "snek",
  markets: "kraken:BTC/USDT spread=1 depth=500, mexc:BTC/USDT gate-score depth=300",
  total: "uptime=95 depth=5000",
  counterparty: "Snek Foundation",
  from: "2026-01-01",
};

async function agreed(pairs: readonly PromisedPair[] = []) {
  const box = await testSandbox({ speed: 1 });
  const [store, agreements] = [createLiquidityStore(box.context), createAgreementStore(box.context)];
  const deps: LiquidityDeps = { ...box.deps, liquidity: { store, pairs, agreements } };
  const ask = <T>(name: string, input: object) => runOperation<T>(deps, name, input);
  const events = async () => {
    const { rows } = await box.context.client.execute(
      "select message from events where kind = 'agreement' order by id",
    );
    return rows.map(({ message }) => message);
  };
  return { ...box, deps, ask, events };
}

describe("an agreement", () => {
  it("is created once, changed, ended and listed with every edit in its history", async () => {
    const { ask, events } = await agreed();
    const created = await ask("create_agreement", NEW);
    expect(created).toMatchObject({ agreement: "snek", version: 1, state: "active" });
    expect(await ask("create_agreement", NEW)).toMatchObject({ version: 1, changes: "" });
    await expect(ask("create_agreement", { ...NEW, total: "uptime=90" })).rejects.toThrow("exists already");
    await ask("edit_agreement", { agreement: "snek", until: "2031-06-30", total: "none" });
    await ask("edit_agreement", { agreement: "snek", until: "2031-06-30" });
    await ask("edit_agreement", { agreement: "snek", until: "2026-03-31" });
    const [shown] = (
      await ask<{ agreements: { history: { changes: string; actor: string; version: number }[] }[] }>(
        "list_agreements",
        { agreement: "snek" },
      )
    ).agreements;
    expect(shown).toMatchObject({ from: "2026-01-01", until: "2026-03-31", version: 3, total: [] });
    expect(shown?.history.map(({ version, changes }) => [version, changes])).toEqual([
      [
        1,
        "markets is kraken:BTC/USDT spread=1 depth=500, mexc:BTC/USDT gate-score depth=300; counterparty is Snek Foundation; from is 2026-01-01; total is uptime=95 depth=5000",
      ],
      [2, "until is 2031-06-30, was none; total is none, was uptime=95 depth=5000"],
      [3, "until is 2026-03-31, was 2031-06-30"],
    ]);
    expect(shown?.history.every(({ actor }) => actor !== "")).toBe(true);
    expect(await events()).toHaveLength(3);
    expect(await ask("list_agreements", {})).toMatchObject({ count: 1, agreements: [{ version: 3 }] });
  });

  it("stays listed when another one has been edited more often", async () => {
    const { ask } = await agreed();
    await ask("create_agreement", NEW);
    await ask("create_agreement", { ...NEW, agreement: "other" });
    await ask("edit_agreement", { agreement: "snek", until: "2031-06-30" });
    const { agreements } = await ask<{ agreements: { agreement: string; version: number }[] }>(
      "list_agreements",
      {},
    );
    expect(agreements.map(({ agreement, version }) => [agreement, version])).toEqual([
      ["other", 1],
      ["snek", 2],
    ]);
  });

  it("states its rules per market and in total", async () => {
    const { ask } = await agreed();
    await ask("create_agreement", NEW);
    const { agreements } = await ask<{
      agreements: { markets: { terms: string[]; preset: string }[]; total: string[] }[];
    }>("list_agreements", {});
    const [{ markets, total } = { markets: [], total: [] }] = agreements;
    expect(markets.map(({ preset }) => preset)).toEqual(["agreement", "gate-score"]);
    expect(markets[0]?.terms[1]).toMatch(/^At most 1 % between/);
    expect(total).toEqual([
      "At least 95 % of the time with the rules of each market, as the mean of all markets of a pair",
      "A mean depth of at least 5,000 in quote per side within 2 % of the mid price, as the sum of all markets of a pair",
    ]);
  });

  it("includes the settings as an agreement without an end, which no command changes", async () => {
    const { watched } = parseConfig({
      EDGEMAKER_LIQUIDITY: "kraken:BTC/USDT agreement depth=7, mexc:BTC/USDT",
    });
    const { ask } = await agreed(watched);
    expect(await ask("list_agreements", {})).toMatchObject({
      agreements: [
        {
          agreement: "settings",
          source: "settings",
          state: "active",
          until: null,
          markets: [{ ...KRAKEN, preset: "agreement" }],
        },
      ],
    });
    expect(await ask("list_agreements", { agreement: "settings" })).toMatchObject({
      agreements: [{ agreement: "settings", history: [] }],
    });
  });

  it("starts sampling of its pairs on its first day, once for several agreements, and ends it", async () => {
    const { ask, deps, time } = await agreed([KRAKEN]);
    const minutes = async (exchange: string) =>
      (await deps.liquidity?.store.minutes({ exchange, symbol: "BTC/USDT" }, 0, 1e9))?.length;
    const sampled = async () => {
      await sampleLiquidity(deps);
      time.pass(MINUTE);
      return [await minutes("kraken"), await minutes("mexc")];
    };
    expect(await sampled()).toEqual([1, 0]);
    await ask("create_agreement", NEW);
    await ask("create_agreement", {
      ...NEW,
      agreement: "later",
      markets: "mexc:BTC/USDT",
      from: "2126-01-01",
    });
    expect(await sampled()).toEqual([2, 1]);
    await ask("edit_agreement", { agreement: "snek", until: "today" });
    time.pass(2 * DAY);
    expect(await sampled()).toEqual([3, 1]);
    expect(await ask("list_watched_pairs", {})).toMatchObject({ count: 1 });
  });

  it("raises an alarm with its name when one of its rules is at risk", async () => {
    const { ask, deps, context, time } = await agreed();
    await ask("create_agreement", { ...NEW, markets: "kraken:BTC/USDT uptime=99.9", total: "none" });
    for (let minute = 0; minute < 3; minute++) {
      await runRound(deps);
      await sampleLiquidity(deps);
      await checkAllAlarms(deps);
      time.pass(MINUTE);
    }
    const { rows } = await context.client.execute("select message from events where kind = 'alarm'");
    expect(rows.map(({ message }) => String(message))).toEqual([
      expect.stringMatching(
        /^the agreement snek for BTC\/USDT on kraken is at risk: .*`edgemaker agreement report snek` shows details$/,
      ),
    ]);
  });

  it("raises no alarm on the day after its last one, on which its markets are still sampled", async () => {
    const { ask, deps, context, time } = await agreed();
    const markets = "kraken:BTC/USDT uptime=99.9";
    await ask("create_agreement", { ...NEW, markets, total: "none", until: "2026-01-01" });
    time.pass(DAY);
    for (let minute = 0; minute < 3; minute++) {
      await runRound(deps);
      await sampleLiquidity(deps);
      await checkAllAlarms(deps);
      time.pass(MINUTE);
    }
    const count = async (table: string) =>
      (await context.client.execute(`select count(*) from ${table}`)).rows[0]?.[0];
    expect([await count("liquidity_minutes"), await count("events where kind = 'alarm'")]).toEqual([3, 0]);
  });

  it.each([
    [{ agreement: "settings" }, "settings names the settings"],
    [{ markets: "nowhere:BTC/USDT" }, "markets must be different exchange:BASE/QUOTE"],
    [{ markets: "kraken:BTC/USDT, kraken:BTC/USDT depth=5" }, "markets must be different"],
    [{ markets: "kraken:BTC/USDT depth=x" }, "markets must be different"],
    [{ total: "spread=2" }, "total must have uptime, depth or both"],
    [{ until: "2026-13-01" }, "until must be a day"],
    [{ until: "2025-12-31" }, "until must not be before from"],
    [{ uptime: 3 }, "unknown field: uptime"],
  ])("answers 400 to %j", async (over, message) => {
    const { deps } = await agreed();
    const app = await appOver(deps);
    const response = await app.ask("/api/v1/agreements", {
      method: "POST",
      headers: { authorization: `Bearer ${app.tokens.trade}`, "content-type": "application/json" },
      body: JSON.stringify({ ...NEW, ...over }),
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(message)]);
  });
});
