import { expect, it, onTestFinished } from "vitest";
import { runRound } from "../../../src/engine/pass/round.ts";
import { decimal } from "../../../src/kernel/decimal.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { VenueName } from "../../../src/model/market.ts";
import { emulatedExchanges } from "../../support/emulated.ts";
import { runOperation } from "../../support/sandbox.ts";

const GRID = {
  symbol: "BTC/USDT",
  lowerPrice: decimal("57000"),
  upperPrice: decimal("63000"),
  gridLevels: 6,
};

/** The lease with its first calls, and the settlement; on kraken nonces between them, on mexc the fee asset before a first buy. */
const REQUESTS: Readonly<Partial<Record<VenueName, number>>> = { mexc: 3, gateio: 2, bitget: 2, kraken: 3 };

it.each(Object.entries(REQUESTS))(
  "a quiet pass on %s makes %d database calls, rate-limit calls included",
  async (name, requests) => {
    const setup = await emulatedExchanges({ names: [name as VenueName] });
    onTestFinished(() => setup.close());
    const { deps, time } = setup;
    await runOperation(deps, "start_grid", { exchange: name, ...GRID, orderSize: decimal("100") });
    const countRequests = async () => {
      const [view] = await deps.store.strategies({});
      return view?.costs[0]?.of[view.strategy.id]?.databaseRequests ?? Number.NaN;
    };
    const pass = async () => {
      time.pass(MINUTE);
      expect((await runRound(deps)).map(({ outcome }) => outcome)).toEqual(["stepped"]);
    };
    // Trades are read each five minutes: of ten passes most are quiet.
    const each: number[] = [];
    for (let passed = 0; passed < 10; passed++) {
      const before = await countRequests();
      await pass();
      each.push((await countRequests()) - before);
    }
    expect(each.filter((count) => count === requests).length).toBeGreaterThanOrEqual(7);
    expect(Math.max(...each)).toBeLessThanOrEqual(requests + 2);
  },
);
