import { DATABASE_ARGS } from "../host/settings.ts";
import { switchFlag, textFlag, type Values } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";

const JSON_ARG = { json: switchFlag("Print as JSON") } as const;
const symbol = textFlag("Trading pair, for example BTC/USDT", "pair");
const span = (standard: string) => textFlag(`Candle length: 1m 5m 15m 30m 1h 4h 1d 1w (${standard})`, "span");

export const candlesCommand = command({
  name: "candles",
  description: "Download and import candles for backtests",
  subCommands: {
    download: command({
      name: "candles download",
      description: "Download candles from an exchange; run it again to continue",
      examples: [
        "edgemaker candles download --exchange mexc --symbol BTC/USDT --since 2025-01-01 --span 1m",
        "edgemaker candles download --exchange bitget --symbol ETH/USDT --since 2024-01-01 --until 2024-07-01 --span 5m",
      ],
      args: {
        exchange: textFlag("Exchange id", "id"),
        symbol,
        since: textFlag("Start time, ISO 8601; or when the pair was listed, if that is later", "time"),
        until: textFlag("End time, ISO 8601 (default: now)", "time"),
        span: span("default 1m"),
        patience: textFlag("Seconds to retry an exchange that fails (default 300)", "seconds"),
        ...DATABASE_ARGS,
        ...JSON_ARG,
      },
      run: async (values) => (await import("../actions/actions.ts")).downloadCandles(values),
    }),
    import: command({
      name: "candles import",
      description:
        "Import candles or trades from files: tables, Binance, freqtrade, ccxt, Kraken; also gzip and zip",
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
        from: textFlag("Source: an exchange, or a name of small letters, digits and -", "name"),
        span: span("default: as in the file; 1m for trades"),
        "skip-refused": switchFlag("Skip and count invalid rows; otherwise the first one is an error"),
        ...DATABASE_ARGS,
        ...JSON_ARG,
      },
      run: async (values) => (await import("../actions/actions.ts")).importCandles(values),
    }),
    list: command({
      name: "candles list",
      description: "List stored candles",
      args: { ...DATABASE_ARGS, ...JSON_ARG },
      run: async (values: Values) => (await import("../actions/actions.ts")).listCandles(values),
    }),
    show: command({
      name: "candles show",
      description: "Show what stored candles cover: candles, gaps, duplicates, skipped rows, hash",
      examples: ["edgemaker candles show --from mexc --symbol BTC/USDT --span 1m"],
      args: {
        symbol,
        from: textFlag("Source, as in `candles list`", "name"),
        span: span("default 1m"),
        ...DATABASE_ARGS,
        ...JSON_ARG,
      },
      run: async (values) => (await import("../actions/actions.ts")).showCandles(values),
    }),
  },
});
