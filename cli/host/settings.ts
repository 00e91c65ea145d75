import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { StoredKeys } from "../../src/adapters/libsql/credential-store.ts";
import { AS_PASSES_GO } from "../../src/adapters/sandbox/market-clock.ts";
import {
  type Config,
  type ConfiguredExchange,
  parseConfig,
  parseConfigFile,
  venueUrl,
} from "../../src/compose/config.ts";
import type { Live } from "../../src/compose/deps.ts";
import type { SandboxOptions } from "../../src/compose/sandbox.ts";
import { messageOf, SettingsError } from "../../src/kernel/errors.ts";
import { isPair, type Pair } from "../../src/kernel/pair.ts";
import { prefixOf } from "../../src/kernel/plain-text.ts";
import { parseTime } from "../../src/kernel/read-time.ts";
import { DEFAULT_TICK_INTERVAL_MS, type Deps } from "../../src/ports/deps.ts";
import { type Args, switchFlag, textFlag, UsageError, type Values } from "../terminal/arguments.ts";
import { absentFolder, configFile, databaseFile, defaultDatabaseUrl, shownUrl } from "./directories.ts";
import { writePrivate } from "./kill-file.ts";

/** Flags of every command that works on a database in this process. */
export const DATABASE_ARGS = {
  db: textFlag("Database: file:<path> or libsql://<host>", "url"),
  sandbox: switchFlag("Use simulated exchanges: no keys, no network, no money"),
  seed: textFlag("Seed of the sandbox's random prices", "number"),
  "venue-url": {
    ...textFlag("Base URL to use instead of an exchange's own, name=url; repeatable", "name=url"),
    repeatable: true,
  },
} as const satisfies Args;

/** Flag of the server, and of every command for the user's own strategies. */
export const STRATEGIES_ARG = {
  strategies: textFlag("Folder of your own strategies (default strategies)", "folder"),
} as const satisfies Args;

/** Flags of every command that maintains a database, whichever process serves it. */
export const LOCAL_DATABASE_ARGS = {
  db: DATABASE_ARGS.db,
  sandbox: DATABASE_ARGS.sandbox,
  json: switchFlag("Print as JSON"),
} as const satisfies Args;

/** Flags that create a sandbox; by default, the stored ones of its database apply. */
export const SANDBOX_ARGS = {
  origin: textFlag("Market time at the start, ISO 8601", "time"),
  replay: {
    ...textFlag("Candles to replay, [SYMBOL=]FILE (default symbol BTC/USDT); repeatable", "file"),
    repeatable: true,
  },
  speed: textFlag("Speed of market time, for example 60; max runs passes without waiting", "number"),
} as const satisfies Args;

export interface CliSettings {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly sandbox: SandboxOptions;
}

/** Returns a command's settings: flags override the environment, which overrides the configuration file. */
export function readSettings(values: Values, env: NodeJS.ProcessEnv): CliSettings {
  const parsed = parseConfig(environmentWithFile(env));
  for (const notice of parsed.notices) process.stderr.write(`${notice}\n`);
  const requests = (values["venue-url"] as readonly string[] | undefined)?.map(venueUrl) ?? [];
  const sandboxed = values.sandbox === undefined ? parsed.sandbox : values.sandbox === true;
  const config: Config = {
    ...parsed,
    exchanges: parsed.exchanges.map((configuredExchange) => markOrigin(configuredExchange, env)),
    sandbox: sandboxed,
    stream: values.stream === undefined ? parsed.stream : values.stream === true,
    venueUrls: new Map([...(sandboxed ? withoutExchanges(parsed) : parsed.venueUrls), ...requests]),
    mcp: { ...parsed.mcp, commandFlags: whereFlags({ ...values, sandbox: sandboxed }) },
  };
  const sandbox = sandboxOptions(values);
  if (!config.sandbox && Object.values(sandbox).some((value) => value !== undefined)) {
    throw new UsageError("--seed, --origin, --replay and --speed need --sandbox");
  }
  refuseVenueUrls(config, requests);
  const databaseUrl =
    (values.db as string | undefined) ?? parsed.databaseUrl ?? defaultDatabaseUrl(env, config.sandbox);
  const file = databaseFile(databaseUrl);
  return { config, sandbox, databaseUrl: file ? `file:${file}` : databaseUrl };
}

/** Marks keys that are in `edgemaker.json` instead of the environment. */
const markOrigin = (configuredExchange: ConfiguredExchange, env: NodeJS.ProcessEnv): ConfiguredExchange =>
  configuredExchange.keys && env[`${prefixOf(configuredExchange.id)}_API_KEY`] === undefined
    ? { ...configuredExchange, keys: { ...configuredExchange.keys, from: "file" } }
    : configuredExchange;

export interface LackingFolder {
  readonly folder: string;
  /** The flag or setting that named it. */
  readonly named: string;
}

/** Returns the missing folder of a database, which is usually a typing error. */
export function lackingFolder(values: Values, env: NodeJS.ProcessEnv): LackingFolder | undefined {
  if (values["api-url"] !== undefined) return undefined;
  const request = values.db as string | undefined;
  const settings = environmentWithFile(env);
  const isElsewhere = request === undefined && settings.EDGEMAKER_API_URL !== undefined;
  const url = request ?? settings.EDGEMAKER_DATABASE_URL;
  const folder = isElsewhere || url === undefined ? undefined : absentFolder(url, env);
  if (folder === undefined) return undefined;
  return { folder, named: request === undefined ? "EDGEMAKER_DATABASE_URL" : "--db" };
}

export const describeFolder = ({ folder, named }: LackingFolder): string =>
  `the folder ${folder} does not exist; create it (mkdir -p "${folder}"), or correct ${named}`;

/** Merges the environment over the configuration file. */
export const environmentWithFile = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...fromFile(configFile(env)),
  ...env,
});

export function fromFile(file: string): Readonly<Record<string, string | undefined>> {
  if (!existsSync(file)) return {};
  try {
    return parseConfigFile(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new SettingsError(`${file}: ${messageOf(error)}`);
  }
}

let isIgnoringNoted = false;

/** Returns the addresses of the environment that count in a sandbox, and prints a notice if it ignores others. */
function withoutExchanges({ venueUrls, exchanges }: Config): readonly (readonly [string, string])[] {
  const others = [...venueUrls].filter(([name]) => !exchanges.some(({ id }) => id === name));
  if (others.length < venueUrls.size && !isIgnoringNoted) {
    isIgnoringNoted = true;
    process.stderr.write("EDGEMAKER_VENUE_URLS is ignored: the sandbox simulates the exchanges\n");
  }
  return others;
}

function refuseVenueUrls(
  { sandbox, venueUrls, exchanges }: Config,
  requests: readonly (readonly [string, string])[],
): void {
  for (const name of venueUrls.keys()) {
    const isExchange = exchanges.some(({ id }) => id === name);
    if (!isExchange && name !== "iris")
      throw new UsageError(`--venue-url names ${name}, which is not configured`);
    if (sandbox && isExchange && requests.some(([request]) => request === name))
      throw new UsageError("--venue-url of an exchange and --sandbox exclude each other");
  }
}

function sandboxOptions(values: Values): SandboxOptions {
  const { origin, speed, replay } = values;
  return {
    seed: wholeFlag(values, "seed", { default: undefined, max: 2 ** 32 - 1 }),
    speed: speed === undefined ? undefined : speedOf(speed),
    origin: origin === undefined ? undefined : timeFlag(String(origin)),
    replays: (replay as readonly string[] | undefined)?.map(replayOf),
  };
}

function speedOf(speed: Values[string]): number {
  if (speed === "max") return AS_PASSES_GO;
  const [number, most] = [Number(speed), 1_000_000];
  if (!(number > 0 && number <= most))
    throw new UsageError(`--speed must be max, or a positive number of at most ${most}`);
  return number;
}

/** Returns the whole number of a flag; `default` if it is absent. Throws UsageError outside the limits. */
export function wholeFlag<Usual>(
  values: Values,
  name: string,
  { default: usual, min = 0, max }: { default: Usual; min?: number; max: number },
): number | Usual {
  const value = values[name];
  if (value === undefined) return usual;
  const number = /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) : Number.NaN;
  if (!Number.isInteger(number) || number < min || number > max)
    throw new UsageError(`--${name} must be a whole number from ${min} to ${max}`);
  return number;
}

export const portFlag = (values: Values): number => wholeFlag(values, "port", { default: 3000, max: 65_535 });

/** Returns the milliseconds between two passes. */
export const tickInterval = (values: Values): number =>
  wholeFlag(values, "tick-interval", { default: DEFAULT_TICK_INTERVAL_MS, min: 1, max: 86_400_000 });

function timeFlag(value: string): number {
  const at = parseTime(value);
  if (at === undefined)
    throw new UsageError(
      "--origin must be a time in ISO 8601, for example 2026-01-01T00:00:00Z, or milliseconds",
    );
  return at;
}

function replayOf(value: string): { symbol: Pair; file: string } {
  const at = value.indexOf("=");
  const symbol = at < 0 ? "BTC/USDT" : value.slice(0, at);
  if (!isPair(symbol))
    throw new UsageError(
      `--replay names ${symbol}, which is not a pair; write SYMBOL=FILE, for example ETH/USDT=eth.csv`,
    );
  return { symbol, file: resolve(value.slice(at + 1)) };
}

type SettingChanges = Readonly<Record<string, string | undefined>>;

/** Changes settings in `edgemaker.json`, which only its owner can read; `undefined` removes one. Returns the path. */
export function changeSettingsFile(env: NodeJS.ProcessEnv, changes: SettingChanges): string {
  const file = configFile(env);
  writePrivate(file, `${JSON.stringify({ ...fromFile(file), ...changes }, null, 2)}\n`);
  return file;
}

/** Returns the keys of an exchange in `edgemaker.json`, where earlier versions stored them. */
export function keysInFile(env: NodeJS.ProcessEnv, id: string): StoredKeys | undefined {
  const settings = fromFile(configFile(env));
  const [key, secret, passphrase] = keySettingsOf(id).map((name) => settings[name]);
  return key && secret ? { key, secret, ...(passphrase ? { passphrase } : {}) } : undefined;
}

/** Returns the names of the settings that contain an exchange's keys. */
export const keySettingsOf = (id: string): readonly string[] =>
  ["API_KEY", "SECRET", "PASSPHRASE"].map((part) => `${prefixOf(id)}_${part}`);

export const withoutKeys = (ids: readonly string[]): SettingChanges =>
  Object.fromEntries(ids.flatMap(keySettingsOf).map((name) => [name, undefined]));

/** Checks the permissions of the configured keys in the background; results are logged and shown by grid status. */
export function checkKeyRights({ live, log }: Deps & { readonly live?: Live }): { stop(): void } {
  let isStopping = false;
  live?.venues.rights
    .ask(0, () => !isStopping)
    .catch((error: unknown) => {
      if (!isStopping)
        log("warn", "the permissions of the exchange keys could not be checked", {
          reason: messageOf(error),
        });
    });
  return {
    stop() {
      isStopping = true;
    },
  };
}

const WHERE_FLAGS = ["sandbox", "db", "api-url"] as const;

/** Quotes a word for a shell if it needs that. */
const shellWord = (word: string): string =>
  /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Returns the given flags that name a database or a server, with a leading space, for the next command that a message
 * names. Secrets are left out.
 */
export const whereFlags = (values: Values): string =>
  WHERE_FLAGS.map((flag) => {
    const value = values[flag];
    if (value === undefined || value === false) return "";
    return value === true ? ` --${flag}` : ` --${flag} ${shellWord(shownUrl(String(value)))}`;
  }).join("");
