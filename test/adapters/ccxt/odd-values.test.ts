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

async function setUp(name: VenueName, unified = false) {
  const setup = await emulatedExchanges({
    names: [name],
    venue: { unified },
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

  const feeFields = {
    mexc: ["commission"],
    gateio: ["fee", "gt_fee", "point_fee"],
    bitget: ["feeDetail"],
    kraken: ["fee"],
  }[name];
  const oddFees = feeFields.flatMap((field) =>
    ["NaN", "-1", `1${"0".repeat(30)}`].map((odd) => [field, odd] as const),
  );

  it.each(oddFees)(
    "books a fill whose trade and order have the %s %s with an estimated fee",
    async (field, odd) => {
      const { deps, exchange, alter, pass, traded, totals } = await setUp(name);
      const before = totals();
      await runOperation(deps, "start_grid", gridInput({ exchange: name }));
      for (const route of ["fills", "fillsOf", "order", "open"] as const) alter(route, [field], () => odd);
      exchange.move(PAIR, "58400");
      for (let count = 0; count < 8; count++) await pass(120);
      const [grid] = await deps.store.strategies({});
      const { id, status, state } = grid?.strategy ?? {};
      expect([status, state?.ledger]).toMatchObject(["running", { feesEstimated: true }]);
      expect(exchange.open()).toHaveLength(4);
      const { BTC = 0n, USDT = 0n } = state?.ledger.moved ?? {};
      const [base = 0, quote = 0] = traded(before).map((amount) => Number(amount.split(" ")[1]));
      // No more base than was credited.
      expect(base - Number(text(BTC))).toSatisfy((less: number) => less >= 0 && less < base / 200);
      expect(Math.abs(quote - Number(text(USDT)))).toBeLessThan(-quote / 200);
      const { fills } = await runOperation<{ fills: readonly { fees: readonly object[] }[] }>(
        deps,
        "get_strategy_fills",
        {
          id,
        },
      );
      expect(fills).toMatchObject([{ fees: [{ estimated: true }] }]);
      const { events } = await runOperation<{ events: readonly { message: string }[] }>(
        deps,
        "get_strategy_events",
        {
          id,
        },
      );
      expect(events.filter(({ message }) => message.includes("estimated from the fee rate"))).toHaveLength(1);
    },
  );

  const amounts = {
    mexc: ["price", "qty"],
    gateio: ["price", "amount"],
    bitget: ["priceAvg", "size"],
    kraken: ["price", "vol"],
  }[name];
  it.each([
    ...amounts.map((field) => [field, "99000", "buy"] as const),
    [amounts[0] as string, `1${"0".repeat(30)}`, "sell"] as const,
  ])("books a fill whose trade has the impossible %s %s from its %s order", async (field, odd, side) => {
    const { deps, exchange, pass, booked, traded, totals } = await setUp(name);
    const before = totals();
    await runOperation(deps, "start_grid", gridInput({ exchange: name }));
    // Without the cost, nothing in the row contradicts it.
    for (const route of ["fills", "fillsOf"] as const) {
      exchange.alter(route, (body) =>
        withFields(
          withFields(body, [field], () => odd),
          ["cost", "quoteQty", "funds"],
          () => null,
        ),
      );
    }
    exchange.move(PAIR, side === "sell" ? "61600" : "58400");
    for (let count = 0; count < 8; count++) await pass(120);
    expect(exchange.executions().map(({ order }) => order.side)).toEqual([side]);
    const [btc = 0, usdt = 0] = (await booked()).sort().map((amount) => Number(amount.split(" ")[1]));
    const [base = 0, quote = 0] = traded(before)
      .sort()
      .map((amount) => Number(amount.split(" ")[1]));
    expect(Math.abs(base - btc)).toBeLessThan(Math.abs(base) / 200);
    expect(Math.abs(quote - usdt)).toBeLessThan(Math.abs(quote) / 200);
    expect(exchange.open()).toHaveLength(4);
  });

  it("shows no time before 2009, and the time of the read for no trades", async () => {
    const { deps, exchange, alter } = await setUp(name);
    await runOperation(deps, "start_grid", gridInput({ exchange: name }));
    const times = ["create_time", "create_time_ms", "time", "cTime", "opentm", "createTime", "transactTime"];
    for (const odd of ["1000000000000000000000000000000", 1e30, "1"]) {
      alter("open", times, () => odd);
      const { orders } = await runOperation<{ orders: readonly { timestamp: number }[] }>(
        deps,
        "list_orders",
        {
          exchange: name,
          symbol: PAIR,
        },
      );
      expect(orders).toHaveLength(4);
      for (const { timestamp } of orders) expect(timestamp).toBeGreaterThan(1_600_000_000_000);
    }
    exchange.alter("trades", (body) => withoutRows(body));
    expect(await runOperation(deps, "get_trades", { exchange: name, symbol: PAIR, limit: 50 })).toMatchObject(
      {
        trades: [],
        timestamp: await deps.store.now(),
      },
    );
  });

  const calculated = { mexc: "cummulativeQuoteQty", gateio: "left", bitget: "priceAvg", kraken: "price" }[
    name
  ];

  it(`reads orders whose ${calculated} is no number`, async () => {
    const { deps, exchange, alter } = await setUp(name);
    await runOperation(deps, "start_grid", gridInput({ exchange: name }));
    const [buy] = exchange.open();
    if (!buy) throw new Error("no order is open");
    const read = async () => {
      const { amount, filled } = (await deps.venue(name).order({ symbol: PAIR, id: buy.id })) ?? {};
      return { amount, filled };
    };
    const right = await read();
    alter("order", [calculated], () => "NaN");
    if (name === "kraken")
      exchange.alter("order", (body) =>
        withFields(body, Object.keys((body as { result: object }).result), (row) => ({
          ...(row as object),
          price: "NaN",
        })),
      );
    expect(await read()).toEqual(right);
  });

  it("shows no public trade of an unknown side, and no quote volume beside the base volume", async () => {
    const { deps, exchange, alter } = await setUp(name);
    const rows = (body: Json): Json =>
      Array.isArray(body) && typeof body[3] === "string"
        ? body.map((value, at) => (at === 3 ? [value] : value))
        : Array.isArray(body)
          ? body.map(rows)
          : typeof body === "object" && body !== null
            ? Object.fromEntries(Object.entries(body).map(([key, value]) => [key, rows(value)]))
            : body;
    if (name === "kraken") {
      exchange.alter("trades", rows);
      await expect(deps.venue(name).trades(PAIR, 50)).rejects.toThrow("cannot be read");
    }
    if (name === "gateio") {
      alter("trades", ["side"], (value) => [value]);
      await expect(deps.venue(name).trades(PAIR, 50)).rejects.toThrow("cannot be read");
    }
    const volumes = ["quoteVolume", "quote_volume", "usdtVolume"];
    const huge = `1${"0".repeat(30)}`;
    for (const odd of ["0", huge]) {
      if (name === "kraken") alter("ticker", ["p"], () => [odd, odd]);
      else alter("ticker", volumes, () => odd);
      exchange.advance();
      expect(await deps.venue(name).ticker(PAIR)).toMatchObject({
        quoteVolume: null,
        bid: expect.any(BigInt),
      });
    }
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

it("books a fill whose fee a unified account lists twice with the fee of its order", async () => {
  const { deps, exchange, alter, pass, booked, traded, totals } = await setUp("bitget", true);
  const before = totals();
  await runOperation(deps, "start_grid", gridInput({ exchange: "bitget" }));
  for (const route of ["fills", "fillsOf"] as const)
    alter(route, ["feeDetail"], (fees) => [fees, fees].flat());
  exchange.move(PAIR, "58400");
  for (let count = 0; count < 8; count++) await pass(120);
  expect((await booked()).sort()).toEqual(traded(before).sort());
  expect(exchange.executions()).toHaveLength(1);
});

/** Empties each list of rows. */
function withoutRows(body: Json): Json {
  if (Array.isArray(body)) return [];
  if (typeof body !== "object" || body === null) return body;
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, withoutRows(value)]));
}

const isPositive = (value: unknown): boolean => typeof value === "number" && value > 0;

function collectNames(body: Json, names: Set<string>): void {
  if (typeof body !== "object" || body === null) return;
  for (const [name, value] of Object.entries(body)) {
    if (!/^\d+$/.test(name)) names.add(name);
    collectNames(value, names);
  }
}
