/** Fields of exchanges' responses that no strategy needs, and values that cannot be true. */
import { describe, expect, it, onTestFinished } from "vitest";
import { runRound } from "../../../src/engine/pass/round.ts";
import { text } from "../../../src/kernel/decimal.ts";
import { SECOND } from "../../../src/kernel/time.ts";
import { VENUES, type VenueName } from "../../../src/model/market.ts";
import { emulatedExchanges } from "../../support/emulated.ts";
import { gridInput } from "../../support/requests.ts";
import { runOperation } from "../../support/sandbox.ts";
import type { Route } from "../../venues/dialect.ts";

const PAIR = "BTC/USDT";
const NAMES = Object.keys(VENUES) as VenueName[];

type Json = unknown;

/** Changes each field that has one of these names, wherever in a response it is. */
function withFields(body: Json, names: readonly string[], change: (value: Json) => Json): Json {
  if (Array.isArray(body)) return body.map((part) => withFields(part, names, change));
  if (typeof body !== "object" || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      names.includes(name) ? change(value) : withFields(value, names, change),
    ]),
  );
}

async function setUp(name: VenueName) {
  const setup = await emulatedExchanges({
    names: [name],
    timing: { readLag: 5 * SECOND, secondMiss: 5 * SECOND },
  });
  onTestFinished(setup.close);
  const { deps, time } = setup;
  const exchange = setup.exchange(name);
  const alter = (route: Route, names: readonly string[], change: (value: Json) => Json) =>
    exchange.alter(route, (body) => withFields(body, names, change));
  const pass = async (seconds = 10) => {
    time.pass(seconds * SECOND);
    exchange.advance();
    for (const { outcome, message } of await runRound(deps)) expect(outcome, message).not.toBe("failed");
  };
  const booked = async () => {
    const [grid] = await deps.store.strategies({});
    return Object.entries(grid?.strategy.state.ledger.moved ?? {}).map(
      ([asset, amount]) => `${asset} ${text(amount)}`,
    );
  };
  const traded = (before: ReadonlyMap<string, bigint>) =>
    [...before].map(([asset, amount]) => `${asset} ${text(exchange.total(asset) - amount)}`);
  const totals = () => new Map(["BTC", "USDT"].map((asset) => [asset, exchange.total(asset)]));
  return { deps, exchange, alter, pass, booked, traded, totals };
}

const ID_FIELDS = {
  mexc: ["orderId"],
  gateio: ["id"],
  bitget: ["orderId"],
  kraken: ["txid"],
} as const;

describe.each(NAMES)("on %s", (name) => {
  it.each(["-1", "0", "NaN", `1${"0".repeat(30)}`, "something_new", null])(
    "books the fill of an order whose response has the id %j",
    async (odd) => {
      const { deps, exchange, alter, pass, booked, traded, totals } = await setUp(name);
      const before = totals();
      alter("create", ID_FIELDS[name], () => (name === "kraken" ? [odd] : odd));
      await runOperation(deps, "start_grid", gridInput({ exchange: name }));
      for (let count = 0; count < 3; count++) await pass();
      expect(exchange.open()).toHaveLength(4);
      const [buy] = exchange.open().filter(({ side }) => side === "buy");
      exchange.fill(buy?.id ?? "");
      for (let count = 0; count < 3; count++) await pass();
      expect((await booked()).sort()).toEqual(traded(before).sort());
      expect(exchange.open()).toHaveLength(4);
    },
  );

  const fills = {
    mexc: { cost: "quoteQty", fee: "commission", asset: "commissionAsset" },
    gateio: { cost: undefined, fee: "fee", asset: "fee_currency" },
    bitget: { cost: "amount", fee: "totalFee", asset: "feeCoin" },
    kraken: { cost: "cost", fee: "fee", asset: undefined },
  }[name];
  const impossible = [
    ...(fills.cost ? [[fills.cost, `1${"0".repeat(30)}`] as const, [fills.cost, "0"] as const] : []),
    [fills.fee, name === "bitget" ? `-1${"0".repeat(30)}` : `1${"0".repeat(30)}`] as const,
    // With the other sign, the fee would be a rebate.
    [
      fills.fee,
      (value: Json) => (String(value).startsWith("-") ? String(value).slice(1) : `-${value}`),
    ] as const,
    ...(fills.asset ? [[fills.asset, "SOMETHING"] as const, [fills.asset, "-1"] as const] : []),
  ] as const;

  it.each(impossible)("books no trade with %s %s, and books it later", async (field, odd) => {
    const { deps, exchange, alter, pass, booked, traded, totals } = await setUp(name);
    const before = totals();
    await runOperation(deps, "start_grid", gridInput({ exchange: name }));
    for (const route of ["fills", "fillsOf"] as const)
      alter(route, [field], typeof odd === "function" ? odd : () => odd);
    exchange.move(PAIR, "58400");
    for (let count = 0; count < 3; count++) await pass();
    for (const amount of await booked()) expect([...traded(before), "BTC 0", "USDT 0"]).toContain(amount);
    // mexc's orders show no fee, so its trades are needed. Its maker fee is zero, which has no other sign.
    if (name === "mexc") for (const route of ["fills", "fillsOf"] as const) exchange.alter(route);
    for (let count = 0; count < 8; count++) await pass(120);
    expect((await booked()).sort()).toEqual(traded(before).sort());
    expect(exchange.open()).toHaveLength(4);
  });

  it("shows no order with the price or the amount 0", async () => {
    const { deps, exchange } = await setUp(name);
    await runOperation(deps, "start_grid", gridInput({ exchange: name }));
    const names = ["price", "priceAvg", "size", "origQty", "amount", "vol", "left"];
    for (const missing of names) {
      exchange.alter("open", (body) => withFields(body, [missing], () => null));
      const { orders } = await runOperation<{ orders: readonly { price: number; amount: number }[] }>(
        deps,
        "list_orders",
        { exchange: name, symbol: PAIR },
      );
      for (const order of orders)
        expect(order).toMatchObject({
          price: expect.toSatisfy(isPositive),
          amount: expect.toSatisfy(isPositive),
        });
    }
  });

  it("trades whatever a response says in fields beside its result", async () => {
    const { deps, exchange, alter } = await setUp(name);
    const odd = { kraken: "error", bitget: "msg", gateio: "message", mexc: "msg" }[name];
    for (const route of ["markets", "ticker", "open", "balance", "create", "book"] as const)
      alter(route, [odd], () => (name === "kraken" ? ["WGeneral:Something new"] : "something_new"));
    await runOperation(deps, "start_grid", gridInput({ exchange: name }));
    expect(exchange.open()).toHaveLength(4);
  });

  it("reads a ticker with words in fields that nobody needs", async () => {
    const { deps, exchange } = await setUp(name);
    const needed = [
      "a",
      "b",
      "bidPr",
      "askPr",
      "lowest_ask",
      "highest_bid",
      "bidPrice",
      "askPrice",
      "symbol",
    ];
    const names = new Set<string>();
    exchange.alter("ticker", (body) => {
      collectNames(body, names);
      return body;
    });
    const ticker = () => runOperation(deps, "get_ticker", { exchange: name, symbol: PAIR });
    await ticker();
    for (const one of names) {
      if (needed.includes(one) || one === "error" || one === "code") continue;
      exchange.alter("ticker", (body) =>
        withFields(body, [one], (value) =>
          Array.isArray(value) ? value.map(() => "NaN") : typeof value === "object" ? value : "NaN",
        ),
      );
      const found = await deps
        .venue(name)
        .ticker(PAIR)
        .catch((error: Error) => error);
      expect([one, found]).toMatchObject([one, { bid: expect.any(BigInt) }]);
    }
  });

  it("reads an order book without its time", async () => {
    const { deps, alter } = await setUp(name);
    alter("book", ["current", "update", "id", "ts", "lastUpdateId"], () => null);
    expect((await deps.venue(name).book(PAIR, 5)).bids.length).toBeGreaterThan(0);
  });
});

const isPositive = (value: unknown): boolean => typeof value === "number" && value > 0;

function collectNames(body: Json, names: Set<string>): void {
  if (typeof body !== "object" || body === null) return;
  for (const [name, value] of Object.entries(body)) {
    if (!/^\d+$/.test(name)) names.add(name);
    collectNames(value, names);
  }
}
