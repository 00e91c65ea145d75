import { describe, expect, it, onTestFinished } from "vitest";
import { runRound } from "../../../src/engine/pass/round.ts";
import { MINUTE, SECOND } from "../../../src/kernel/time.ts";
import { VENUES, type VenueName } from "../../../src/model/market.ts";
import { bearer } from "../../contract/suite.ts";
import { appOver } from "../../support/app.ts";
import { emulatedExchanges } from "../../support/emulated.ts";
import { gridRequest } from "../../support/requests.ts";

const NAMES = Object.keys(VENUES) as VenueName[];
const PAIR = "BTC/USDT";

type Json = unknown;
type Row = Record<string, Json>;
type List = readonly Json[];

/** The first list of rows in an answer, replaced. */
function withList(body: Json, change: (rows: List) => List): Json {
  if (Array.isArray(body)) return change(body);
  const [[name, part] = []] = Object.entries(body as Row).filter(
    ([, value]) => typeof value === "object" && value,
  );
  // Kraken's `error` is an empty list before its result.
  if (name === "error") return { ...(body as Row), result: withList((body as Row).result, change) };
  return name === undefined ? body : { ...(body as Row), [name]: withList(part, change) };
}

const isHigh = (name: VenueName, column: number): boolean => column === (name === "gateio" ? 3 : 2);

async function setUp(name: VenueName) {
  const setup = await emulatedExchanges({ names: [name] });
  onTestFinished(setup.close);
  const { deps, time } = setup;
  const app = await appOver(deps);
  const headers = { ...bearer(app.tokens.admin), "content-type": "application/json" };
  const venue = setup.exchange(name);
  return {
    venue,
    ask: async <T>(method: string, path: string, body?: object): Promise<T> => {
      const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      return (await (await app.ask(`/api/v1${path}`, init)).json()) as T;
    },
    pass: async (count = 1) => {
      for (let at = 0; at < count; at++) {
        time.pass(5 * SECOND);
        venue.advance();
        for (const { outcome, message } of await runRound(deps)) expect(outcome, message).not.toBe("failed");
      }
    },
  };
}

describe.each(NAMES)("on %s", (name) => {
  it("one odd candle is left out, and a candle without its volume has none", async () => {
    const { venue, ask } = await setUp(name);
    const path = `/ohlcv?exchange=${name}&symbol=${PAIR}&timeframe=1m&limit=20`;
    interface Candles {
      readonly candles: readonly { readonly timestamp: number; readonly volume: number | null }[];
    }
    const volume = { mexc: 5, bitget: 5, kraken: 6, gateio: 6 }[name];
    venue.alter("candles", (body) =>
      withList(body, (rows) =>
        rows.map((row, place) => {
          const values = row as List;
          if (place === rows.length - 5) return values.map((value, at) => (at === 0 ? value : "0"));
          if (place === rows.length - 4) return null;
          return place === rows.length - 3 ? values.slice(0, volume) : values;
        }),
      ),
    );
    const { candles } = await ask<Candles>("GET", path);
    expect(candles.length).toBeGreaterThanOrEqual(15);
    expect(candles.filter((candle) => candle.volume === null)).toHaveLength(1);
    const times = candles.map(({ timestamp }) => timestamp);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it("a candle whose close is outside its low and high, or whose open is far outside, is left out", async () => {
    const { venue, ask, pass } = await setUp(name);
    const path = `/ohlcv?exchange=${name}&symbol=${PAIR}&timeframe=1m&limit=20`;
    type Prices = Readonly<Record<"timestamp" | "open" | "high" | "low" | "close", number>>;
    // Open, high, low and close of all but gateio, whose rows have the close first.
    for (const column of name === "gateio" ? [2, 3, 4, 5] : [1, 2, 3, 4]) {
      venue.alter("candles", (body) =>
        withList(body, (rows) =>
          rows.map((row, place) =>
            place === rows.length - 5
              ? (row as List).map((value, at) =>
                  at === column ? String(Number(value) * (isHigh(name, column) ? 0.3 : 3)) : value,
                )
              : row,
          ),
        ),
      );
      await pass(12);
      const { candles } = await ask<{ readonly candles: readonly Prices[] }>("GET", path);
      const times = candles.map(({ timestamp }) => timestamp);
      expect(Math.max(...times) - Math.min(...times)).toBe(20 * MINUTE);
      for (const { open, high, low, close } of candles)
        expect([open, close].every((price) => low <= price && price <= high)).toBe(true);
    }
  });

  it("a candle that opens at the last close, above its high, is listed", async () => {
    const { venue, ask, pass } = await setUp(name);
    const path = `/ohlcv?exchange=${name}&symbol=${PAIR}&timeframe=1m&limit=20`;
    const read = async () =>
      (await ask<{ readonly candles: readonly { high: number; open: number }[] }>("GET", path)).candles;
    const before = await read();
    const column = name === "gateio" ? 5 : 1;
    venue.alter("candles", (body) =>
      withList(body, (rows) =>
        rows.map((row) =>
          (row as List).map((value, at) => (at === column ? String(Number(value) * 1.2) : value)),
        ),
      ),
    );
    // A minute later, nothing is cached.
    await pass(12);
    const after = await read();
    expect(after).toHaveLength(before.length);
    expect(after.every(({ open, high }) => open > high)).toBe(true);
  });

  it("one odd public trade is left out", async () => {
    const { venue, ask } = await setUp(name);
    const path = `/trades?exchange=${name}&symbol=${PAIR}&limit=50`;
    const amount = { mexc: "q", bitget: "size", kraken: "1", gateio: "amount" }[name];
    venue.alter("trades", (body) =>
      withList(body, (rows) =>
        rows.map((row, place) => {
          if (place !== 1) return row;
          return Array.isArray(row) ? row.with(1, "0.00000000") : { ...(row as Row), [amount]: "0" };
        }),
      ),
    );
    const { trades } = await ask<{ trades: object[] }>("GET", path);
    expect(trades.length).toBeGreaterThan(10);
  });

  it("a ticker without a last price and volumes still has the best prices", async () => {
    const { venue, ask } = await setUp(name);
    const odd = [
      "last",
      "lastPr",
      "lastPrice",
      "c",
      "v",
      "volume",
      "quoteVolume",
      "baseVolume",
      "base_volume",
    ];
    const spoiled = (body: Json): Json => {
      if (Array.isArray(body)) return body.map(spoiled);
      if (typeof body !== "object" || body === null) return body;
      return Object.fromEntries(
        Object.entries(body).map(([key, value]) => [key, odd.includes(key) ? null : spoiled(value)]),
      );
    };
    venue.alter("ticker", spoiled);
    const ticker = await ask<object>("GET", `/ticker?exchange=${name}&symbol=${PAIR}`);
    expect(ticker).toMatchObject({
      // From mexc's opening price and its change, ccxt derives the last price.
      last: name === "mexc" ? expect.any(Number) : null,
      baseVolume: null,
      bid: expect.any(Number),
    });
  });

  it("an order of a pair that the market list lacks is listed and canceled", async () => {
    const { venue, ask, pass } = await setUp(name);
    const isGone = (row: Json) => JSON.stringify(row).includes("ADA");
    venue.alter("markets", (body: Row) =>
      name === "kraken"
        ? {
            ...body,
            result: Object.fromEntries(Object.entries(body.result as Row).filter(([key]) => !isGone(key))),
          }
        : name === "mexc"
          ? { ...body, symbols: (body.symbols as List).filter((row) => !isGone(row)) }
          : withList(body, (rows) => rows.filter((row) => !isGone(row))),
    );
    const start = gridRequest({ exchange: name, gridLevels: 4, orderSize: 100 });
    const { id } = await ask<{ id: string }>("POST", "/strategy/grid", start);
    await pass(4);
    const other = venue.own({ symbol: "ADA/USDT", side: "buy", price: "0.4", amount: "100" });
    const list = await ask<{
      orders: { id: string; symbol: string }[];
      unreadable: { reason: string }[];
    }>("GET", `/orders?exchange=${name}`);
    expect(list.orders.filter(({ symbol }) => symbol === PAIR)).toHaveLength(4);
    // mexc lists one pair at a time, and nothing names this one.
    if (name === "mexc") expect(list.unreadable).toHaveLength(1);
    else expect(list.orders.find((order) => order.id === other.id)?.symbol).toMatch(/^ADA_?USDT$/);

    await pass(2);
    await ask("DELETE", "/strategy/grid", { id, cancelOrders: false });
    const canceled = await ask<{ cancelled: number }>("DELETE", `/orders?exchange=${name}`);
    expect(canceled.cancelled).toBe(name === "mexc" ? 4 : 5);
    expect(venue.open(PAIR)).toEqual([]);
    expect(venue.open("ADA/USDT")).toHaveLength(name === "mexc" ? 1 : 0);
  });
});

type Sides = readonly ("buy" | "sell")[];
const STATES: readonly (readonly [VenueName, string, Row, Sides])[] = [
  ["gateio", "untradable", { trade_status: "untradable" }, []],
  ["gateio", "buyable", { trade_status: "buyable" }, ["buy"]],
  ["gateio", "sellable", { trade_status: "sellable" }, ["sell"]],
  ["gateio", "tradable", { trade_status: "tradable" }, ["buy", "sell"]],
  ["mexc", "tradeSideType 1", { tradeSideType: 1 }, ["buy", "sell"]],
  ["mexc", "tradeSideType 2", { tradeSideType: 2 }, ["buy"]],
  ["mexc", "tradeSideType 3", { tradeSideType: "3" }, ["sell"]],
  ["mexc", "tradeSideType 4", { tradeSideType: 4 }, []],
];

it.each(STATES)(
  "on %s, a pair that is %s gets orders of the sides that it accepts",
  async (name, _, state, sides) => {
    const { venue, ask, pass } = await setUp(name);
    // Gate's margin list has the pair as an open one.
    const margin = { id: "BTC_USDT", base: "BTC", quote: "USDT", leverage: 10, status: 1 };
    const isIt = (row: Json) =>
      ["BTC_USDT", "BTCUSDT"].includes(String((row as Row).id ?? (row as Row).symbol));
    const changed = (rows: List) => rows.map((row) => (isIt(row) ? { ...(row as Row), ...state } : row));
    venue.alter("markets", (body: never) =>
      name === "mexc"
        ? { ...(body as Row), symbols: changed((body as Row).symbols as List) }
        : (body as List).length === 0
          ? [margin]
          : changed(body),
    );
    const start = gridRequest({ exchange: name, gridLevels: 4, orderSize: 100 });
    const { id } = await ask<{ id: string }>("POST", "/strategy/grid", start);
    await pass(4);
    expect([...new Set(venue.open(PAIR).map(({ side }) => side))].sort()).toEqual([...sides]);
    const { strategies } = await ask<{ strategies: { refused: { reason: string }[] }[] }>(
      "GET",
      `/strategy/grid/status?id=${id}`,
    );
    const closed = strategies[0]?.refused.filter(({ reason }) => reason === "market_closed") ?? [];
    expect(closed).toHaveLength(2 * (2 - sides.length));
  },
);
