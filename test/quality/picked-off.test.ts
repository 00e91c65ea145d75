import { describe, expect, it } from "vitest";
import { midStatements } from "../../src/adapters/libsql/pass-store.ts";
import { runPass } from "../../src/engine/pass/pass.ts";
import { type Decimal, div, mul } from "../../src/kernel/decimal.ts";
import { HOUR, MINUTE, SECOND } from "../../src/kernel/time.ts";
import type { MeasuredFill } from "../../src/model/order.ts";
import { pickedOff, pickedOffMessages } from "../../src/quality/operations/picked-off.ts";
import { checkAlarms } from "../../src/report/operations/alarm-checks.ts";
import { d } from "../support/grid.ts";
import { fill } from "../support/made.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";

const NO_MIDS = { mid: null, mid1s: null, mid10s: null, mid1m: null, mid5m: null, mid1h: null };
const bought = (mid10s: string | null, over: Partial<MeasuredFill> = {}): MeasuredFill => ({
  ...fill(),
  side: "buy",
  price: d("100"),
  amount: d("2"),
  notional: d("200"),
  ...NO_MIDS,
  mid10s: mid10s === null ? null : d(mid10s),
  ...over,
});
const GRID = { id: "grid-1", symbol: "BTC/USDT" } as const;
const messages = (...fills: readonly MeasuredFill[]) => pickedOffMessages(GRID, fills);
const times = (count: number, one: MeasuredFill) => Array.from({ length: count }, () => one);

describe("a side that is picked off", () => {
  it("is named with its losses and its unknown fills", () => {
    const fills = [...times(4, bought("99")), bought("101"), ...times(3, bought(null))];
    expect(messages(...fills)).toEqual([
      "bids on BTC/USDT were picked off in the last hour: 4 of 5 fills lost money within 10 s, 6 USDT together, and 3 more are unknown; `edgemaker quality grid-1` shows details, and a wider spread loses less",
    ]);
  });

  it.each([
    ["too few fills are measured", [...times(4, bought("99")), bought(null)]],
    ["half of its fills lost nothing", [...times(3, bought("99")), ...times(3, bought("100"))]],
    ["its fills earned money together", [...times(4, bought("99")), ...times(2, bought("110"))]],
    ["its fills were booked before, from their order", times(6, bought("99", { superseded: true }))],
    [
      "the losses belong to two sides",
      [...times(4, bought("99")), ...times(4, bought("101", { side: "sell" }))],
    ],
  ])("is not reported if %s", (_why, fills) => {
    expect(messages(...fills)).toEqual([]);
  });

  it.each([
    [61, 0],
    [59, 1],
    [1, 1],
  ])(
    "is judged by the clock: fills of %i minutes ago give %i notices, in a market 60 times as fast",
    async (minutes, count) => {
      const until = 500_000 * HOUR;
      const marketTime = (_account: unknown, at: number) => 60 * at;
      const at = marketTime(undefined, until - minutes * MINUTE);
      const pages: object[] = [];
      const store = {
        async measuredFillsOf(id: string, page: object) {
          pages.push({ id, ...page });
          return times(6, bought("99", { at }));
        },
      };
      const running = [{ strategy: { ...GRID, account: "sandbox:kraken:" } }];
      const notices = await pickedOff({ store, marketTime } as never, running as never, until);
      expect(notices.map(({ strategy }) => strategy)).toEqual(Array.from({ length: count }, () => "grid-1"));
      expect(pages).toEqual([{ id: "grid-1", limit: 1000, before: { at: 60 * until } }]);
    },
  );

  it("is reported once an hour and side, however many checks there are", async () => {
    const box = await testSandbox({ speed: 1 });
    const { id } = await runOperation<{ id: string }>(box.deps, "start_grid", {
      exchange: "kraken",
      symbol: "BTC/USDT",
      lowerPrice: d("59000"),
      upperPrice: d("61000"),
      gridLevels: 100,
      orderSize: d("50"),
      allowLoss: true,
    });
    const deps = { ...box.deps, interval: 5 * SECOND };
    const check = () => checkAlarms(deps, undefined, (running, until) => pickedOff(deps, running, until));
    const notices = async () =>
      (await box.store.eventsAfter(0, 1000)).filter(({ message }) => message.includes("picked off"));
    // Every fill is followed by a price that is far from it, on the losing side.
    const spoil = async () => {
      for (const one of await box.store.fillsOf(id, { limit: 1000 })) {
        const mid = worse(one.side, one.price);
        const row = { symbol: one.symbol, name: "mid10s", mid, from: one.at, to: one.at } as const;
        await box.context.client.execute(`update fill_mids set mid_10s = null where at = ${one.at}`);
        const [update] = midStatements(box.context, one.account, { atFills: [], later: [row] });
        if (update) await box.context.client.execute(update);
      }
    };
    for (let minute = 0; minute < 125; minute++) {
      box.time.pass(MINUTE);
      await runPass(deps, box.venue("kraken"));
      if (minute % 60 >= 57) await spoil();
      await check();
    }
    const told = await notices();
    const sides = told.map(({ strategy, message, at }) => [
      strategy,
      Math.floor(at / HOUR),
      /^(bids|asks) on/.exec(message)?.[1],
    ]);
    expect(sides.length).toBeGreaterThan(1);
    expect(new Set(sides.map((one) => one.join())).size).toBe(sides.length);
    expect(sides.every(([strategy]) => strategy === id)).toBe(true);
  });
});

/** A mid at which a fill at this price has lost a tenth. */
const worse = (side: "buy" | "sell", price: Decimal): Decimal =>
  side === "buy" ? mul(price, d("0.9"), "down") : div(price, d("0.9"), "up");
