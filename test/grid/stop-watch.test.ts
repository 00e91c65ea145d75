import { describe, expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { bearer } from "../contract/suite.ts";
import { appOver } from "../support/app.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";
import type { Route } from "../venues/dialect.ts";

const INTERVAL = 5000;

interface Grid {
  readonly notices: readonly { readonly code: string; readonly message: string }[];
}

async function watching(stop: object = { stopLossPrice: decimal("50000") }) {
  const setup = await emulatedExchanges({ names: ["kraken"] });
  onTestFinished(() => setup.close());
  const deps: Deps = { ...setup.deps, interval: INTERVAL };
  const app = await appOver(deps);
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", gridInput({ ...stop }));
  const ask = async (path: string) =>
    (await app.ask(`/api/v1/${path}`, { headers: bearer(app.tokens.read) })).json();
  return {
    deps,
    id,
    exchange: setup.exchange("kraken"),
    step: async (times: number) => {
      for (let pass = 0; pass < times; pass++) {
        setup.time.pass(INTERVAL);
        await runRound(deps);
      }
    },
    pass: (millis: number) => setup.time.pass(millis),
    codes: async () =>
      ((await ask(`strategy/grid/status?id=${id}`)).strategies[0] as Grid).notices
        .map(({ code }) => code)
        .filter((code) => code.startsWith("stop_price")),
    events: async () =>
      ((await ask(`strategies/${id}/events`)).events as { kind: string; message: string }[])
        .filter(({ kind }) => kind === "watch")
        .map(({ message }) => message)
        .reverse(),
    ready: async () => {
      const answer = await app.ask("/ready");
      const { message = "" } = (await answer.json()) as { message?: string };
      return /stop prices/.test(message) ? answer.status : 200;
    },
  };
}

describe("an unwatched stop price", () => {
  it.each<[string, readonly Route[]]>([
    ["tickers alone", ["ticker"]],
    ["all reads", ["ticker", "open"]],
  ])(
    "is reported by notice, event and readiness while %s fail, and again once it is watched",
    async (_what, routes) => {
      const { exchange, step, codes, events, ready } = await watching();
      await step(2);
      expect([await codes(), await events(), await ready()]).toEqual([[], [], 200]);
      exchange.fail({ kind: "server_error", route: routes, times: 1_000_000 });
      await step(3);
      expect([await codes(), await events(), await ready()]).toEqual([[], [], 200]);
      await step(20);
      expect(await codes()).toContain("stop_price_unwatched");
      expect(await events()).toEqual([expect.stringMatching(/not being watched: .* BTC\/USDT for \d+ s/)]);
      expect(await ready()).toBe(503);
      exchange.heal();
      await step(80);
      expect(await codes()).not.toContain("stop_price_unwatched");
      expect(await events()).toEqual([expect.anything(), "the stop price is watched again"]);
      expect(await ready()).toBe(200);
    },
  );

  it("is reported even if no process steps the grid", async () => {
    const { step, pass, codes, ready } = await watching();
    await step(1);
    pass(3 * INTERVAL + 1);
    expect(await codes()).toContain("stop_price_unwatched");
    expect(await ready()).toBe(503);
  });

  it("is not reported for a grid without a stop price, or one that a person paused", async () => {
    const without = await watching({});
    without.pass(100 * INTERVAL);
    expect([await without.codes(), await without.ready()]).toEqual([[], 200]);
    const paused = await watching();
    await runOperation(paused.deps, "pause_strategy", { id: paused.id });
    paused.pass(100 * INTERVAL);
    expect([await paused.codes(), await paused.ready()]).toEqual([[], 200]);
  });
});
