import { expect, it } from "vitest";
import { begin, checkGrid } from "../../../src/backtest/run/begin.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { firstState } from "../../../src/grid/start/planned-start.ts";
import { NO_STOP } from "../../../src/kernel/fields.ts";
import { d, market } from "../../support/grid.ts";

const SETUP = {
  market: market({ tick: d("1"), lot: d("0.001") }),
  quote: { bid: d("104"), ask: d("106"), at: 7 },
  balances: [{ asset: "USDT", free: d("1000"), used: 0n }],
};
const REQUEST = { lowerPrice: d("100"), upperPrice: d("110"), gridLevels: 1, orderSize: d("100") };

it("a grid of a backtest is the one that a start would store, under its own account", () => {
  const checked = checkGrid(REQUEST, SETUP);
  const stored = {
    id: "grid-backtest-BTC-USDT-7",
    kind: "grid",
    version: gridKind.version,
    number: 7,
    account: "sandbox:backtest:",
    symbol: "BTC/USDT",
    config: checked.config,
    state: firstState(checked, SETUP.quote),
    wants: "run",
    ...NO_STOP,
    status: "running",
    phase: "starting",
    lastError: null,
    startedAt: 7,
    stoppedAt: null,
    epoch: 0,
    resumes: 0,
    request: null,
  };
  expect(begin(checked, SETUP)).toEqual(stored);
  const named = begin(checked, SETUP, "kraken");
  expect([named.id, named.account]).toEqual(["grid-kraken-BTC-USDT-7", "sandbox:kraken:"]);
});

it("a grid with a trigger price waits for it", () => {
  const triggered = checkGrid({ ...REQUEST, triggerPrice: d("103") }, SETUP);
  expect(begin(triggered, SETUP).status).toBe("idle");
});
