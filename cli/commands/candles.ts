import { DATABASE_ARGS } from "../host/settings.ts";
import { type Args, switchFlag, textFlag, UsageError, type Values } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import { CALL_ARGS } from "./operation.ts";

const JSON_ARG = { json: switchFlag("Print as JSON") } as const;
const symbol = textFlag("Trading pair, for example BTC/USDT", "pair");
const span = (standard: string) => textFlag(`Candle length: 1m 5m 15m 30m 1h 4h 1d 1w (${standard})`, "span");

export const VOLUME_COLUMN = textFlag(
  "Name of the column with the amounts in base, where the file does not show it; none reads no amounts",
  "name",
);

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
        "volume-column": VOLUME_COLUMN,
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

const COMMON = {
  db: DATABASE_ARGS.db,
  "venue-url": DATABASE_ARGS["venue-url"],
  json: switchFlag("Print as JSON"),
} as const satisfies Args;

const ONE_EXCHANGE = {
  exchange: { type: "positional", description: "Exchange id, for example kraken", required: false },
  ...COMMON,
} as const satisfies Args;

function exchangeOf({ exchange }: Values): string {
  if (exchange === undefined)
    throw new UsageError("name the exchange, for example: edgemaker exchange add kraken");
  return String(exchange);
}

const actions = () => import("../actions/actions.ts");

/** Exchange keys are stored encrypted in the database, so they are managed there and not over HTTP. */
export const exchangeCommand = command({
  name: "exchange",
  description: "Manage exchange keys, stored encrypted in the database",
  subCommands: {
    add: command({
      name: "exchange add",
      description:
        "Store keys from a prompt, from a pipe (one line each: key, secret, passphrase), or from the environment",
      args: {
        ...ONE_EXCHANGE,
        "from-env": switchFlag("Read the keys from <ID>_API_KEY, <ID>_SECRET and <ID>_PASSPHRASE"),
        "allow-withdrawal": switchFlag("Store keys that can withdraw; edgemaker never withdraws"),
      },
      run: async (values) => (await actions()).addKeys(values, exchangeOf(values)),
    }),
    import: command({
      name: "exchange import",
      description: "Move keys from edgemaker.json into the database",
      args: COMMON,
      run: async (values) => (await actions()).moveKeys(values),
    }),
    list: command({
      name: "exchange list",
      description: "List exchanges with keys, without the keys",
      args: COMMON,
      run: async (values) => (await actions()).listKeys(values),
    }),
    remove: command({
      name: "exchange remove",
      description: "Remove stored keys",
      args: ONE_EXCHANGE,
      run: async (values) => (await actions()).removeKeys(values, exchangeOf(values)),
    }),
    test: command({
      name: "exchange test",
      description: "Test the keys at the exchange, and show their permissions",
      args: ONE_EXCHANGE,
      run: async (values) => (await actions()).testKeys(values, exchangeOf(values)),
    }),
    rotate: command({
      name: "exchange rotate",
      description: "Encrypt stored keys with the first key of EDGEMAKER_KEK=new,old",
      args: COMMON,
      run: async (values) => (await actions()).rotateKeys(values),
    }),
  },
});

const { json, ...REMOTE_ARGS } = CALL_ARGS;
const { db, sandbox } = DATABASE_ARGS;

export const mcpCommand = command({
  name: "mcp",
  description: "Run an MCP server for AI agents on standard input and output",
  examples: ["edgemaker mcp --sandbox", "edgemaker mcp --api-url https://grids.example --token em_…"],
  args: { ...DATABASE_ARGS, ...REMOTE_ARGS },
  run: async (values) => (await import("../actions/mcp/serve.ts")).serveMcp(values),
  subCommands: {
    install: command({
      name: "mcp install",
      description: "Add edgemaker to the configuration of an AI client; a copy of the old one stays",
      examples: ["edgemaker mcp install --client claude-desktop --sandbox"],
      args: {
        client: textFlag("claude-desktop, claude-code, cursor, windsurf or vscode", "name"),
        trading: switchFlag("Allow trading, with your approval of each plan (edgemaker plans)"),
        "max-notional": {
          ...textFlag(
            "With --trading: maximum that one plan can buy and sell, for example USDT=500",
            "asset=amount",
          ),
          was: "most",
        },
        db,
        sandbox,
        ...REMOTE_ARGS,
        json,
      },
      run: async (values) => (await import("../actions/actions.ts")).installMcp(values),
    }),
  },
});
