import { expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { bearer } from "../contract/suite.ts";
import { appOver } from "../support/app.ts";
import { type EmulatedOptions, emulatedExchanges } from "../support/emulated.ts";
import { appSession } from "../support/mcp.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";
import { readStarts } from "../support/starts.ts";

interface Notice {
  readonly code: string;
  readonly message: string;
}

/** A grid of four slots on emulated kraken, and what two surfaces say of it. */
async function grid(venue: EmulatedOptions["venue"] = {}) {
  const setup = await emulatedExchanges({ names: ["kraken"], venue });
  onTestFinished(() => setup.close());
  const deps = { ...setup.deps, interval: 5000 };
  const app = await appOver(deps);
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", gridInput());
  const ask = async <T>(path: string): Promise<T> =>
    (await app.ask(`/api/v1/strategy/grid/${path}`, { headers: bearer(app.tokens.read) })).json() as T;
  const pass = async (times = 3) => {
    for (let at = 0; at < times; at++) {
      setup.time.pass(5 * MINUTE);
      await runRound(deps);
    }
  };
  await pass();
  return {
    id,
    deps,
    app,
    pass,
    exchange: setup.exchange("kraken"),
    readOutput: async () => {
      const { strategies } = await ask<{ strategies: { notices: Notice[] }[] }>(`status?id=${id}`);
      const list = await ask<{ strategies: { notices: Notice[] }[] }>("list");
      const notices = strategies[0]?.notices ?? [];
      expect(list.strategies[0]?.notices).toEqual(notices);
      return Object.fromEntries(notices.map(({ code, message }) => [code, message]));
    },
  };
}

it("a rejected API key is reported with the remedy until another key works", async () => {
  const { exchange, pass, readOutput } = await grid();
  expect(await readOutput()).toEqual({});
  const { key, secret } = exchange.keys;
  exchange.revokeKeys(key);
  await pass(1);
  expect((await readOutput()).key_refused).toMatch(
    /^kraken refuses its key \(.+ \(the key is KRAKEN_API_KEY in the environment, .+ replace it there, .+\)\): open orders stay, .* create a new key there$/,
  );
  exchange.addKeys({ key, secret, account: exchange.account });
  await pass();
  expect(await readOutput()).toEqual({});
});

it("an exchange that does not respond is reported with the time of the next attempt, for quotes too", async () => {
  const { exchange, pass, readOutput, deps } = await grid();
  const request = {
    exchange: "kraken",
    symbol: "ETH/USDT",
    spreadPercent: 1,
    size: 50,
    baseBudget: 1,
    quoteBudget: 1000,
  };
  await runOperation(deps, ...readStarts("quote", request));
  await pass(1);
  exchange.fail({ kind: "maintenance", times: 1_000_000 });
  await pass(1);
  const message = (await readOutput()).exchange_unavailable;
  expect(message).toMatch(
    /edgemaker waits until \d\d:\d\d:\d\d UTC and tries again, and you need to do nothing$/,
  );
  const quotes = await runOperation<{ strategies: { notices: Notice[] }[] }>(deps, "list_strategies", {
    definition: "quote",
  });
  expect(quotes.strategies[0]?.notices).toContainEqual({ code: "exchange_unavailable", message });
  exchange.heal();
  await pass();
  expect(await readOutput()).toEqual({});
});

it("a price outside the range is reported with how to move the grid, to agents too", async () => {
  const { exchange, pass, readOutput, id, app } = await grid();
  exchange.move("BTC/USDT", "64000");
  await pass();
  expect((await readOutput()).out_of_range).toBe(
    `the price 64000 is above its range 57000 – 63000: it has sold all its base, and earns nothing until the price returns; \`edgemaker grid edit ${id} --lower … --upper …\` moves it`,
  );
  const agent = await appSession(app, "read");
  const answer = await agent.callTool({ name: "get_strategy", arguments: { id } });
  expect(JSON.stringify(answer)).toContain("out_of_range");
  await agent.close();
  exchange.move("BTC/USDT", "56000");
  await pass();
  expect((await readOutput()).out_of_range).toMatch(
    /^the price 56000 is below its range .* it holds the base that it bought/,
  );
  exchange.move("BTC/USDT", "60000");
  await pass();
  expect(await readOutput()).toEqual({});
});

it("a paused grid reports how to resume it", async () => {
  const { deps, id, readOutput } = await grid();
  await runOperation(deps, "pause_strategy", { id });
  expect((await readOutput()).paused).toContain(`until \`edgemaker grid resume ${id}\``);
  await runOperation(deps, "resume_strategy", { id });
  expect(await readOutput()).toEqual({});
});

it("slots that lack quote or base report where it has to come from", async () => {
  const poor = await grid({ balances: { USDT: "150", BTC: "1" } });
  expect((await poor.readOutput()).funds_missing).toMatch(
    /^1 slot waits for USDT: deposit it at kraken, .* give this one a smaller budget$/,
  );
  const robbed = await grid();
  const sell = robbed.exchange.open().find(({ side }) => side === "sell");
  robbed.exchange.engine.cancel(robbed.exchange.account, sell?.id ?? "");
  robbed.exchange.deposit("BTC", "-2");
  await robbed.pass();
  expect((await robbed.readOutput()).base_missing).toMatch(
    /^1 slot waits for 0\.\d+ BTC that the strategy bought .* buy it or deposit it at kraken/,
  );
});
