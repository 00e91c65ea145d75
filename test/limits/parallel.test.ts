import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve } from "../support/command.ts";
import { d } from "../support/grid.ts";
import { withinOneDay } from "../support/one-day.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { type Sqld, startSqld } from "../support/sqld.ts";
import { tempFolder } from "../support/temp.ts";

const ORDER = { exchange: "kraken", symbol: "BTC/USDT", side: "buy", type: "limit" };
/** Ten orders of 50 a day. */
const CAP = { scope: "every", dayNotional: { USDT: d("500") } };

let sqld: Sqld;
beforeAll(async () => {
  sqld = await startSqld();
});
afterAll(() => sqld.stop());

describe("100 parallel orders against a daily limit of ten", () => {
  it.each([
    ["a file", () => `file:${join(tempFolder(), "limits.db")}`],
    ["a database server", () => sqld.url],
  ])("from two processes on %s place at most ten", async (_name, urlOf) => {
    await withinOneDay();
    const url = urlOf();
    const boxes = [await testSandbox({ url, realTime: true }), await testSandbox({ url, realTime: true })];
    const [{ deps, context, venue }] = boxes as [(typeof boxes)[0]];
    await runOperation(deps, "set_limits", CAP);
    const request = { ...ORDER, amount: d("0.001"), price: d("50000") };
    const all = await Promise.allSettled(
      Array.from({ length: 100 }, (_one, i) =>
        runOperation((boxes[i % 2] as (typeof boxes)[0]).deps, "create_order", request),
      ),
    );
    const placed = all.filter(({ status }) => status === "fulfilled").length;
    expect(await venue("kraken").openOrders()).toHaveLength(placed);
    // An order that was recorded and took too long to be sent has used its share all the same.
    const { rows } = await context.client.execute(
      "select orders, notional from limit_uses where scope like 'account:%'",
    );
    expect(rows).toMatchObject([{ orders: 10, notional: 500_0000_0000 }]);
    expect(placed).toBeLessThanOrEqual(10);
    expect(limitsOf(all)).toEqual(["limit_day"]);
  });

  it("from two servers place at most ten", async () => {
    await withinOneDay();
    const folder = tempFolder();
    const args = ["--db", `file:${join(folder, "shared.db")}`, "--sandbox"];
    const servers = [await serve(folder, args), await serve(folder, args)];
    const ask = (i: number, method: string, path: string, body: object) =>
      (servers[i % 2] as (typeof servers)[0]).ask(`/api/v1${path}`, { method, body: JSON.stringify(body) });
    await ask(0, "PUT", "/limits", { dayNotional: { USDT: 500 } });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_one, i) =>
        ask(i, "POST", "/orders", { ...ORDER, amount: 0.001, price: 50_000 }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    const response = await (servers[0] as (typeof servers)[0]).ask("/api/v1/orders?exchange=kraken");
    for (const server of servers) await server.kill("SIGTERM");
    const placed = statuses.filter((status) => status === 200).length;
    expect(placed).toBeLessThanOrEqual(10);
    expect(((await response.json()) as { count: number }).count).toBe(placed);
    expect(statuses.filter((status) => status === 403).length).toBeGreaterThan(0);
  });
});

/** The limits that refused any of them. */
const limitsOf = (all: readonly PromiseSettledResult<unknown>[]): string[] => [
  ...new Set(
    all.flatMap((one) => {
      const limit = one.status === "rejected" ? (one.reason as Reason).extras?.fields?.limit : undefined;
      return limit === undefined ? [] : [limit];
    }),
  ),
];

interface Reason {
  readonly extras?: { readonly fields?: { readonly limit?: string } };
}
