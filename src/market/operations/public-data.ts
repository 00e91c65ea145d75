import * as z from "zod";
import { exchangeField, pairField, rowsField, timeField, wordField } from "../../kernel/fields.ts";
import { DAY, TIMEFRAMES } from "../../kernel/time.ts";
import { type Operation, operation } from "../../operation.ts";
import { forAnyone } from "../../ports/kill-permit.ts";
import {
  BookShape,
  bookOut,
  CandlesShape,
  candlesOut,
  ExchangesShape,
  TickerShape,
  TradesShape,
  tickerOut,
  tradesOut,
} from "../schema.ts";
import { bookView, tickerView, tradesView } from "../view.ts";

const CANDLE_SPANS = { ...TIMEFRAMES, "1w": 7 * DAY } as const;
const timeframes = Object.keys(CANDLE_SPANS) as (keyof typeof CANDLE_SPANS)[];

const MARKET_READ = { effect: "read", access: "public", failure: "Exchange error" } as const;

const marketFields = (ids: readonly string[]) => ({ exchange: exchangeField(ids), symbol: pairField() });

/** Operations for public market data of the configured exchanges. */
export const marketOperations = (ids: readonly string[]): Operation[] => [
  tickerOperation(ids),
  orderbookOperation(ids),
  tradesOperation(ids),
  candlesOperation(ids),
  exchangesOperation(),
];

const tickerOperation = (ids: readonly string[]): Operation =>
  operation({
    ...MARKET_READ,
    name: "get_ticker",
    summary: "Show last price, best bid and ask, and 24 h volume",
    http: { route: "GET /ticker", from: "query" },
    cli: {
      path: "ticker",
      view: tickerView,
      watch: true,
      examples: ["edgemaker ticker --exchange kraken --symbol BTC/USDT"],
    },
    input: () => z.object(marketFields(ids)),
    output: TickerShape,
    run: async ({ venue }, { exchange, symbol }) =>
      tickerOut({ exchange, symbol }, await forAnyone(venue(exchange)).ticker(symbol)),
  });

const orderbookOperation = (ids: readonly string[]): Operation =>
  operation({
    ...MARKET_READ,
    name: "get_orderbook",
    summary: "Show bids and asks of the order book",
    http: { route: "GET /orderbook", from: "query" },
    cli: {
      path: "orderbook",
      alias: "book",
      watch: true,
      view: bookView,
      examples: ["edgemaker orderbook --exchange mexc --symbol BTC/USDT --limit 5"],
    },
    input: () =>
      z.object({
        ...marketFields(ids),
        limit: rowsField("Levels per side", { max: 100, initial: 10 }),
      }),
    output: BookShape,
    run: async ({ venue }, { exchange, symbol, limit }) =>
      bookOut({ exchange, symbol }, await forAnyone(venue(exchange)).book(symbol, limit)),
  });

const tradesOperation = (ids: readonly string[]): Operation =>
  operation({
    ...MARKET_READ,
    name: "get_trades",
    summary: "Show recent public trades with a summary",
    http: { route: "GET /trades", from: "query" },
    cli: {
      path: "trades",
      view: tradesView,
      columns: ["timestamp", "side", "price", "amount"],
      watch: true,
      defaults: { limit: 20 },
      examples: ["edgemaker trades --exchange gateio --symbol ETH/USDT"],
    },
    input: () =>
      z.object({
        ...marketFields(ids),
        limit: rowsField("Number of trades", { max: 500, initial: 50 }),
      }),
    output: TradesShape,
    async run({ venue, store, marketTime }, { exchange, symbol, limit }) {
      const { account } = venue(exchange);
      const trades = await forAnyone(venue(exchange)).trades(symbol, limit);
      // Without a trade, the time is that of the read.
      const at =
        trades.length === 0
          ? marketTime(account, await store.now())
          : Math.max(...trades.map((trade) => trade.at));
      return tradesOut({ exchange, symbol }, trades, at);
    },
  });

const candlesOperation = (ids: readonly string[]): Operation =>
  operation({
    ...MARKET_READ,
    name: "get_ohlcv",
    summary: "Show candles",
    http: { route: "GET /ohlcv", from: "query" },
    cli: {
      path: "ohlcv",
      columns: ["timestamp", "close", "high", "low", "open", "volume"],
      examples: ["edgemaker ohlcv --exchange bitget --symbol BTC/USDT --timeframe 1d --limit 30"],
    },
    input: () =>
      z.object({
        ...marketFields(ids),
        timeframe: wordField("Invalid request", timeframes)
          .default("1h")
          .describe(`Span of a candle: ${timeframes.join(" ")}`),
        limit: rowsField("Number of candles"),
        since: timeField("since")
          .optional()
          .describe("Time of the first candle, as a date or in milliseconds"),
      }),
    output: CandlesShape,
    run: async ({ venue }, { exchange, symbol, timeframe, limit, since }) => {
      const candles = await forAnyone(venue(exchange)).candles(symbol, {
        span: CANDLE_SPANS[timeframe],
        limit,
        since,
      });
      return candlesOut({ exchange, symbol, timeframe }, candles);
    },
  });

const exchangesOperation = (): Operation =>
  operation({
    ...MARKET_READ,
    name: "list_exchanges",
    summary: "List the configured exchanges",
    http: { route: "GET /exchanges", from: "query" },
    cli: { path: "exchanges", columns: ["id", "configured", "venue", "kind", "quotes"] },
    mcp: { isSelfContained: true },
    input: () => z.object({}),
    output: ExchangesShape,
    run: async ({ exchanges }) => ({
      exchanges: exchanges.map((info) => ({ ...info, quotes: [...info.quotes] })),
      count: exchanges.length,
    }),
  });
