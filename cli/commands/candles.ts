import { DATABASE_ARGS } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";

const JSON_ARG = { json: { type: "boolean", description: "Print as JSON" } } as const;
const textFlag = (description: string, valueHint: string) =>
  ({ type: "string", description, valueHint }) as const;

const symbol = textFlag("Trading pair, for example BTC/USDT", "pair");
const span = (standard: string) =>
  textFlag(`Length of a candle: 1m 5m 15m 30m 1h 4h 1d 1w (${standard})`, "span");

export const candlesCommand = command({
  name: "candles",
  description: "Candles for backtests: download, import, and what they cover",
  subCommands: {
    download: command({
      name: "candles download",
      description:
        "Download an exchange's candles into a file beside the database; run again, it goes on where it ended, in both directions",
      examples: [
        "edgemaker candles download --exchange mexc --symbol BTC/USDT --since 2025-01-01 --span 1m",
        "edgemaker candles download --exchange bitget --symbol ETH/USDT --since 2024-01-01 --until 2024-07-01 --span 5m",
      ],
      args: {
        exchange: textFlag("Exchange id", "id"),
        symbol,
        since: textFlag("Time of the first candle, ISO 8601; where the pair was listed later, that", "time"),
        until: textFlag("End of the last candle, ISO 8601 (default now)", "time"),
        span: span("default 1m"),
        patience: textFlag("Seconds to go on asking an exchange that fails (default 300)", "seconds"),
        ...DATABASE_ARGS,
        ...JSON_ARG,
      },
      run: async (values) => (await import("../actions/actions.ts")).downloadCandles(values),
    }),
    import: command({
      name: "candles import",
      description:
        "Import files of candles or trades: tables, Binance's archives, lists of freqtrade and ccxt, Kraken's trades; also in gzip",
      examples: [
        "edgemaker candles import BTCUSDT-1m-2025-01.zip --symbol BTC/USDT --from binance",
        "edgemaker candles import XBTUSD.csv --symbol BTC/USD --from kraken --span 1m",
      ],
      args: {
        files: {
          type: "positional",
          description: "Files to import (or --files)",
          required: false,
          repeatable: true,
        },
        symbol,
        from: textFlag(
          "Where they are from: an exchange, or any word of small letters, digits and -",
          "name",
        ),
        span: span("default: as the file has them; of trades 1m"),
        "skip-refused": {
          type: "boolean",
          description: "Leave out and count rows that are no candles; otherwise the first one ends it",
        },
        ...DATABASE_ARGS,
        ...JSON_ARG,
      },
      run: async (values) => (await import("../actions/actions.ts")).importCandles(values),
    }),
    list: command({
      name: "candles list",
      description: "The candles that are stored",
      args: { ...DATABASE_ARGS, ...JSON_ARG },
      run: async (values: Values) => (await import("../actions/actions.ts")).listCandles(values),
    }),
    show: command({
      name: "candles show",
      description: "What stored candles cover: bars, gaps, duplicates, refused rows, hash",
      examples: ["edgemaker candles show --from mexc --symbol BTC/USDT --span 1m"],
      args: {
        symbol,
        from: textFlag("Where they are from, as `candles list` has it", "name"),
        span: span("default 1m"),
        ...DATABASE_ARGS,
        ...JSON_ARG,
      },
      run: async (values) => (await import("../actions/actions.ts")).showCandles(values),
    }),
  },
});
