import { existsSync } from "node:fs";
import type { ConfiguredExchange } from "../../src/compose/config.ts";
import type { Channels, Live } from "../../src/compose/deps.ts";
import { SettingsError } from "../../src/kernel/errors.ts";
import { prefixOf } from "../../src/kernel/key-names.ts";
import type { LiquidityDeps } from "../../src/liquidity/store/store.ts";
import { accountKey, parseAccountKey } from "../../src/model/account.ts";
import { configFile } from "../host/directories.ts";
import { readKeys } from "../host/secret-input.ts";
import { type CliSettings, readSettings } from "../host/settings.ts";
import { changeSettingsFile, keysInFile, withoutKeys } from "../host/settings-file.ts";
import type { Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { byCommand } from "./database/open.ts";
import { importKeys, openLive, storeKeys, withKek } from "./store-keys.ts";

type LiveAction = (
  live: Live & { readonly channels: Channels; readonly liquidity: LiquidityDeps["liquidity"] | undefined },
  settings: CliSettings,
) => Promise<unknown>;

/** Runs an action on the live exchanges of a command's database and prints its result. Returns the exit code. */
async function withLive(values: Values, act: LiveAction): Promise<number> {
  const settings = readSettings({ ...values, sandbox: false }, process.env);
  return withSettings(values, settings, act);
}

async function withSettings(values: Values, settings: CliSettings, act: LiveAction): Promise<number> {
  const { live, channels, liquidity, close } = await openLive(settings);
  try {
    return print(values, await act({ ...live, channels, liquidity }, settings));
  } finally {
    close();
  }
}

export async function addKeys(values: Values, exchange: string): Promise<number> {
  const settings = await settingsWithKek(values);
  return withSettings(values, settings, async (live, { config }) => {
    const configuredExchange = configured(config.exchanges, exchange);
    const { venues, check } = live;
    const keys = values["from-env"]
      ? fromEnvironment(configuredExchange)
      : await readKeys(configuredExchange);
    await check.refuseSame({ exchange, keys });
    const { assets, mayWithdraw } = await venues.checkKeys(exchange, keys);
    if (mayWithdraw && !values["allow-withdrawal"])
      throw new UsageError(
        `these keys can withdraw; create keys at ${configuredExchange.venue} that can only read and trade, or add --allow-withdrawal`,
      );
    const note = noteOf(configuredExchange);
    await storeKeys(live, new Map([[exchange, keys]]), process.env);
    return { exchange, stored: true, assets, mayWithdraw: rightText(mayWithdraw), note };
  });
}

/** Returns settings that can encrypt keys; creates the key for it only where setup has written settings. */
function settingsWithKek(values: Values): Promise<CliSettings> {
  const settings = readSettings({ ...values, sandbox: false }, process.env);
  if (settings.config.keks.length === 0 && !existsSync(configFile(process.env)))
    throw new SettingsError(
      "EDGEMAKER_KEK is not set; it encrypts stored keys. Run `edgemaker setup`, which creates it, or set it to the output of `openssl rand -base64 32`",
    );
  return withKek(settings, process.env);
}

/** Explains which processes use the stored keys, and from when. */
function noteOf({ id, keys }: ConfiguredExchange): string {
  const inFile = keysInFile(process.env, id) !== undefined;
  if (keys && keys.from !== "file")
    return `${prefixOf(id)}_API_KEY is set here and overrides stored keys; unset it and restart the server`;
  return inFile
    ? "the old keys were removed from edgemaker.json; restart a running server, which has read them there"
    : `a running server uses them from its next pass; if it has ${prefixOf(id)}_API_KEY in its environment, restart it without`;
}

/** Moves the keys of edgemaker.json into the database. */
export async function moveKeys(values: Values): Promise<number> {
  const settings = readSettings({ ...values, sandbox: false }, process.env);
  const exchanges = await importKeys(settings, process.env);
  return print(values, {
    exchanges,
    count: exchanges.length,
    note: exchanges.length === 0 ? `there are no keys in ${configFile(process.env)}` : FILE_KEYS_REMOVED,
  });
}

export const listKeys = (values: Values): Promise<number> =>
  withLive(values, async ({ credentials }, { config }) => {
    const stored = (await credentials.list()).map(({ account, createdAt }) => {
      const { exchange, host } = parseAccountKey(account);
      return { exchange, host, from: "database", storedAt: new Date(createdAt).toISOString() };
    });
    const own = config.exchanges
      .filter(({ keys }) => keys !== undefined)
      .map(({ id, keys }) => ({
        exchange: id,
        host: "",
        from: keys?.from === "file" ? "edgemaker.json" : "environment",
        storedAt: "",
      }));
    return { exchanges: [...own, ...stored], count: own.length + stored.length };
  });

export const removeKeys = (values: Values, exchange: string): Promise<number> =>
  withLive(values, async ({ venues, credentials }, { config }) => {
    const configuredExchange = configured(config.exchanges, exchange);
    const inFile = keysInFile(process.env, exchange) !== undefined;
    if (inFile) changeSettingsFile(process.env, withoutKeys([exchange]));
    if (!(await credentials.remove(accountKey(venues.accountOf(exchange)), byCommand())) && !inFile)
      throw new Error(`no keys of ${exchange} are stored`);
    return { exchange, removed: true, note: noteOfRemoval(configuredExchange, inFile) };
  });

/** Explains which processes still use removed keys. */
function noteOfRemoval({ id, keys }: ConfiguredExchange, wasInFile: boolean): string {
  if (keys && keys.from !== "file")
    return `${prefixOf(id)}_API_KEY is set here and is still used; unset it and restart the server`;
  return wasInFile
    ? FILE_KEYS_REMOVED
    : `if a running server has ${prefixOf(id)}_API_KEY in its environment, restart it without`;
}

const FILE_KEYS_REMOVED =
  "the keys were removed from edgemaker.json; restart a running server, which has read them there";

export const testKeys = (values: Values, exchange: string): Promise<number> =>
  withLive(values, async ({ venues }, { config }) => {
    configured(config.exchanges, exchange);
    const { assets, mayWithdraw, kind } = await venues.checkKeys(exchange);
    const account = kind === undefined ? {} : { account: kind };
    return { exchange, accepted: true, ...account, assets, mayWithdraw: rightText(mayWithdraw) };
  });

export const rotateKeys = (values: Values): Promise<number> =>
  withLive(values, async ({ credentials, channels, liquidity }) => ({
    rotated: await credentials.rotate(byCommand()),
    channels: await channels.rotate(),
    proofKeys: (await liquidity?.proofs?.rotateKey()) ?? 0,
  }));

function configured(exchanges: readonly ConfiguredExchange[], exchange: string): ConfiguredExchange {
  const one = exchanges.find(({ id }) => id === exchange);
  if (!one)
    throw new UsageError(
      `${exchange} is not configured; choose from ${exchanges.map(({ id }) => id).join(", ")}`,
    );
  return one;
}

function fromEnvironment({ id, keys }: ConfiguredExchange) {
  const name = prefixOf(id);
  if (!keys) throw new UsageError(`${name}_API_KEY and ${name}_SECRET are not set`);
  return keys;
}

const rightText = (mayWithdraw: boolean | undefined): string =>
  mayWithdraw === undefined ? "not shown by the exchange" : mayWithdraw ? "yes" : "no";
