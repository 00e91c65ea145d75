import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decimal, text } from "../../src/kernel/decimal.ts";
import type { Fill } from "../../src/model/order.ts";
import {
  type Disposal,
  type DisposalHolding,
  dispose,
  noHolding,
} from "../../src/report/operations/disposals.ts";
import { fillsInOrderQuery } from "../../src/report/store.ts";
import { statement } from "../../src/storage/client/context.ts";
import { appOver } from "../support/app.ts";
import { testSandbox } from "../support/sandbox.ts";

interface Trade {
  readonly side: "buy" | "sell";
  readonly amount: string;
  readonly notional: string;
  readonly fees?: readonly { readonly asset: string; readonly amount: string; readonly value?: string }[];
}

const fillOf = ({ side, amount, notional, fees = [] }: Trade, place: number): Fill => ({
  account: "live:kraken:h",
  symbol: "BTC/USDT",
  tradeId: `t${place}`,
  clientId: "em1",
  strategy: null,
  side,
  price: decimal("1"),
  amount: decimal(amount),
  notional: decimal(notional),
  fees: fees.map(({ asset, amount: paid, value }) => ({
    asset,
    amount: decimal(paid),
    ...(value === undefined ? {} : { value: decimal(value) }),
  })),
  at: place,
  superseded: false,
});

function booked(trades: readonly Trade[]): {
  readonly holding: DisposalHolding;
  readonly disposals: readonly Disposal[];
} {
  const holding = noHolding();
  const disposals: Disposal[] = [];
  for (const [place, trade] of trades.entries()) {
    const disposal = dispose(holding, fillOf(trade, place));
    if (disposal) disposals.push(disposal);
  }
  return { holding, disposals };
}

const format = (amount: bigint | null | undefined) =>
  amount === null || amount === undefined ? amount : text(amount);

describe("a disposal", () => {
  // Worked by hand: 1 BTC at 100 and 1 at 200, then 1.5 sold for 450.
  it("has a cost by FIFO and by average", () => {
    const { disposals, holding } = booked([
      { side: "buy", amount: "1", notional: "100" },
      { side: "buy", amount: "1", notional: "200" },
      { side: "sell", amount: "1.5", notional: "450" },
    ]);
    expect(
      disposals.map(({ costFifo, costAverage, acquiredAt }) => [
        format(costFifo),
        format(costAverage),
        acquiredAt,
      ]),
    ).toEqual([["200", "225", 0]]);
    expect([format(holding.base), format(holding.cost)]).toEqual(["0.5", "75"]);
  });

  it("keeps later purchases after a sale of exactly the first one", () => {
    const { disposals } = booked([
      { side: "buy", amount: "1", notional: "100" },
      { side: "buy", amount: "1", notional: "200" },
      { side: "sell", amount: "1", notional: "300" },
      { side: "sell", amount: "1", notional: "300" },
    ]);
    expect(disposals.map(({ costFifo, acquiredAt }) => [format(costFifo), acquiredAt])).toEqual([
      ["100", 0],
      ["200", 1],
    ]);
  });

  it("counts fees in quote, in base and in a third asset", () => {
    const { disposals } = booked([
      { side: "buy", amount: "1", notional: "100", fees: [{ asset: "BTC", amount: "0.1" }] },
      { side: "buy", amount: "1", notional: "100", fees: [{ asset: "USDT", amount: "1" }] },
      {
        side: "sell",
        amount: "1.9",
        notional: "380",
        fees: [
          { asset: "USDT", amount: "2" },
          { asset: "MX", amount: "5", value: "3" },
        ],
      },
    ]);
    expect(disposals.map((one) => [format(one.proceeds), format(one.fee), format(one.costFifo)])).toEqual([
      ["375", "5", "201"],
    ]);
  });

  it("includes base that a sale pays as its fee", () => {
    const { disposals, holding } = booked([
      { side: "buy", amount: "2", notional: "200" },
      { side: "sell", amount: "1", notional: "150", fees: [{ asset: "BTC", amount: "0.1" }] },
    ]);
    expect(disposals.map((one) => [format(one.amount), format(one.fee), format(one.costFifo)])).toEqual([
      ["1.1", "15", "110"],
    ]);
    expect(format(holding.base)).toBe("0.9");
  });

  it("of base without a known buy has no cost, and a fee without a price is unknown", () => {
    const { disposals, holding } = booked([
      { side: "buy", amount: "1", notional: "100" },
      { side: "sell", amount: "2", notional: "400", fees: [{ asset: "MX", amount: "5" }] },
    ]);
    expect(disposals).toMatchObject([{ costFifo: null, costAverage: null, acquiredAt: null, fee: null }]);
    expect(holding).toEqual(noHolding());
  });

  it("costs add up to everything paid once all is sold, with either method", () => {
    const amounts = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 1, max: 99_999 })),
      {
        minLength: 1,
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(amounts, fc.integer({ min: 1, max: 7 }), (bought, parts) => {
        const buys = bought.map(
          ([amount, notional]): Trade => ({ side: "buy", amount: `${amount}`, notional: `${notional}` }),
        );
        const all = bought.reduce((sum, [amount]) => sum + amount, 0);
        const each = Math.floor(all / parts);
        const sizes = [...Array.from({ length: parts - 1 }, () => each), all - each * (parts - 1)];
        const sells = sizes
          .filter((size) => size > 0)
          .map((size): Trade => ({ side: "sell", amount: `${size}`, notional: "1" }));
        const { disposals, holding } = booked([...buys, ...sells]);
        const paid = decimal(String(bought.reduce((sum, [, notional]) => sum + notional, 0)));
        expect(disposals.reduce((sum, { costFifo }) => sum + (costFifo ?? 0n), 0n)).toBe(paid);
        expect(disposals.reduce((sum, { costAverage }) => sum + (costAverage ?? 0n), 0n)).toBe(paid);
        expect(holding.base).toBe(0n);
      }),
    );
  });
});

describe("the export", () => {
  it("has one row per sale in its span, with earlier costs, over more than a page of fills", async () => {
    const box = await testSandbox();
    const { client } = box.context;
    await client.batch(
      [
        "insert into accounts (account, memory) values ('live:kraken:h', '{}'), ('dry:kraken:h', '{}')",
        ...["live:kraken:h", "dry:kraken:h"].map(
          (account) =>
            `insert into orders values ('em1', '${account}', null, 'hand', 0, 0, 'BTC/USDT', 'buy', 'limit', '1', '1', 'open', null, '0', '0', '0', '{}', '0', null, null, null, 0, 0, 0, null, null, null, 0, 0, null, 'gtc', null)`,
        ),
      ],
      "write",
    );
    const before = Date.UTC(2025, 11, 31);
    const rows = Array.from({ length: 2400 }, (_, place) => {
      const isBuy = place % 2 === 0;
      // All are of the same moment in pairs, and the last sale comes after the span.
      const at = place === 2399 ? Date.UTC(2027, 0, 1) : before + Math.floor(place / 2) * 3_600_000;
      return `('live:kraken:h', 'BTC/USDT', 't${String(place).padStart(5, "0")}', 'em1', null, '${isBuy ? "buy" : "sell"}', '100', '1', '${isBuy ? 100 : 101}', '[]', ${at}, 0)`;
    });
    rows.push(
      `('dry:kraken:h', 'BTC/USDT', 'paper', 'em1', null, 'sell', '100', '1', '100', '[]', ${before + 86_400_000}, 0)`,
    );
    await client.execute(
      `insert into fills (account, symbol, trade_id, client_id, strategy, side, price, amount, notional, fees, at, superseded) values ${rows.join(", ")}`,
    );
    const { ask, tokens } = await appOver(box.deps);
    const headers = { authorization: `Bearer ${tokens.read}` };
    const table = async (query: string) =>
      (await (await ask(`/api/v1/report?disposals=true&${query}&format=csv`, { headers })).text())
        .trimEnd()
        .split("\r\n");
    const year = await table("from=2026-01-01&to=2026-12-31");
    // 1,200 sales, of which 24 are of the year before and one of the year after.
    expect(year).toHaveLength(1 + 1200 - 24 - 1);
    expect(year[1]).toBe(
      "1767225600000,2026-01-01T00:00:00.000Z,kraken,BTC/USDT,t00049,,1,101,0,2026-01-01T00:00:00.000Z,100,1,100,1",
    );
    expect(await table("from=2030-01-01&to=2030-12-31")).toHaveLength(1);
    expect(
      (await ask("/api/v1/report?disposals=true&from=2026-02-01&to=2026-01-01", { headers })).status,
    ).toBe(400);
    const after = { account: "live:kraken:h", symbol: "BTC/USDT", at: before, tradeId: "t" } as const;
    const { sql, args } = statement(fillsInOrderQuery(box.context, after, 10));
    const plan = await client.execute({ sql: `explain query plan ${sql}`, args });
    const text = plan.rows.map((row) => String(row.detail)).join("\n");
    expect(text).toMatch(/SEARCH fills USING INDEX fills_recent \(\(account,symbol,at\)>\(\?,\?,\?\)\)/);
  });
});
