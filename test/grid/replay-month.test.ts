import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseCandleFile } from "../../src/adapters/sandbox/replay.ts";
import { profitOf } from "../../src/grid/profit.ts";
import { step } from "../../src/grid/step.ts";
import { decimal, mul, text } from "../../src/kernel/decimal.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { createOperations } from "../../src/operations.ts";
import { EXCHANGES, testSandbox } from "../support/sandbox.ts";

const file = fileURLToPath(new URL("../../../shared/data/btc-usd-2022-01-1m.csv.gz", import.meta.url));

describe.skipIf(!existsSync(file))("a grid over the real January of 2022", () => {
  it("closes its ledger to the last unit at the end of every day", async () => {
    const candles = parseCandleFile(gunzipSync(readFileSync(file)).toString());
    const origin = candles.times[0] as number;
    const { deps, store, venue, time } = await testSandbox({
      candles: new Map([["BTC/USDT", candles]]),
      origin,
      start: origin,
    });
    const start = createOperations(EXCHANGES).find(({ name }) => name === "start_grid");
    const kraken = venue("kraken");
    const before = await kraken.balances();
    const input = {
      exchange: "kraken",
      symbol: "BTC/USDT",
      lowerPrice: decimal("36000"),
      upperPrice: decimal("48000"),
      gridLevels: 40,
      orderSize: decimal("500"),
    };
    const answer = (await start?.run(deps, input, { actor: "test" })) as { id: string; phase: string };
    expect(answer.phase).toBe("active");
    const t = performance.now();
    let steps = 0;
    while (time.now() < (candles.times.at(-1) as number)) {
      time.pass(5 * MINUTE);
      const pass = await step(deps, kraken);
      expect(pass.outcome).toBe("stepped");
      steps++;
    }
    console.log(steps, (performance.now() - t) / steps);
    const [view] = await store.strategies({ id: answer.id });
    console.log(
      view?.strategy.state.ledger,
      view?.openOrders,
      view?.strategy.state.refused,
      view?.strategy.phase,
    );
    const mark = view!.memory.marks["BTC/USDT"]!.mid;
    const p = profitOf(view!.strategy.state, mark);
    console.log(text(p.total), text(p.realized));
    const after = await kraken.balances();
    const value = (bs: typeof after, m: bigint) =>
      bs.reduce(
        (t, b) =>
          t +
          (b.asset === "USDT" ? b.free + b.used : b.asset === "BTC" ? mul(b.free + b.used, m, "half") : 0n),
        0n,
      );
    const s = view!.strategy.state;
    const idle = decimal("2") - s.ledger.firstBase;
    console.log(
      text(value(after, mark) - value(before, s.startPrice)),
      text(p.total + mul(idle, mark - s.startPrice, "half")),
    );
  }, 200_000);
});
