import type { ConfiguredExchange } from "../../src/compose/config.ts";
import { type Channels, createDeps, type Live } from "../../src/compose/deps.ts";
import { SettingsError, VenueError } from "../../src/kernel/errors.ts";
import { prefixOf } from "../../src/kernel/key-names.ts";
import { accountKey, parseAccountKey } from "../../src/model/account.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { createLog, nodeRuntime } from "../host/node-runtime.ts";
import { readKeys } from "../host/secret-input.ts";
import { type CliSettings, readSettings } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { byCommand } from "./database/open.ts";

/** Runs an action on the live exchanges of a command's database and prints its result. Returns the exit code. */
async function withLive(
  values: Values,
  act: (
    live: Live & { readonly channels: Channels; readonly liquidity: Deps["liquidity"] | undefined },
    settings: CliSettings,
  ) => Promise<unknown>,
): Promise<number> {
  const settings = readSettings({ ...values, sandbox: false }, process.env);
  const { config, databaseUrl } = settings;
  const runtime = nodeRuntime(databaseUrl, config, createLog("error"));
  const deps = await createDeps(config, { ...runtime, putsKeysInOrder: true });
  try {
    if (!deps.live) throw new UsageError("simulated exchanges need no keys");
    return print(
      values,
      await act({ ...deps.live, channels: deps.channels, liquidity: deps.liquidity }, settings),
    );
  } finally {
    deps.close();
  }
}

export const addKeys = (values: Values, exchange: string): Promise<number> =>
  withLive(values, async ({ venues, credentials, check }, { config }) => {
    const one = configured(config.exchanges, exchange);
    if (config.keks.length === 0)
      throw new SettingsError(
        "EDGEMAKER_KEK is not set; it encrypts stored keys. Create one with `openssl rand -base64 32`, and store it outside of the database",
      );
    const keys = values["from-env"] ? fromEnvironment(one) : await readKeys(one);
    await check.refuseSame({ exchange, keys });
    const { assets, mayWithdraw } = await venues.checkKeys(exchange, keys);
    if (mayWithdraw && !values["allow-withdrawal"])
      throw new UsageError(
        `these keys can withdraw; create keys at ${one.venue} that can only read and trade, or add --allow-withdrawal`,
      );
    const account = accountKey(venues.accountOf(exchange));
    await credentials.put(account, keys, byCommand());
    return { exchange, stored: true, assets, mayWithdraw: rightText(mayWithdraw), note: noteOf(one) };
  });

/** Explains which processes use the stored keys, and from when. */
const noteOf = ({ id, keys }: ConfiguredExchange): string =>
  keys
    ? `${prefixOf(id)}_API_KEY is set here and overrides stored keys; unset it and restart the server`
    : `a running server uses them from its next pass; if it has ${prefixOf(id)}_API_KEY in its environment, restart it without`;

export const listKeys = (values: Values): Promise<number> =>
  withLive(values, async ({ credentials }, { config }) => {
    const stored = (await credentials.list()).map(({ account, createdAt }) => {
      const { exchange, host } = parseAccountKey(account);
      return { exchange, host, from: "database", storedAt: new Date(createdAt).toISOString() };
    });
    const own = config.exchanges
      .filter(({ keys }) => keys !== undefined)
      .map(({ id }) => ({ exchange: id, host: "", from: "environment", storedAt: "" }));
    return { exchanges: [...own, ...stored], count: own.length + stored.length };
  });

export const removeKeys = (values: Values, exchange: string): Promise<number> =>
  withLive(values, async ({ venues, credentials }, { config }) => {
    configured(config.exchanges, exchange);
    if (!(await credentials.remove(accountKey(venues.accountOf(exchange)), byCommand())))
      throw new Error(`no keys of ${exchange} are stored`);
    return { exchange, removed: true };
  });

export const testKeys = (values: Values, exchange: string): Promise<number> =>
  withLive(values, async ({ venues }, { config }) => {
    configured(config.exchanges, exchange);
    const { assets, mayWithdraw, kind } = await venues.checkKeys(exchange).catch((error: unknown) => {
      if (!(error instanceof VenueError) || error.failure !== "invalid_credentials") throw error;
      throw new Error(
        `${exchange} refuses these keys (${error.message}); create new keys there, and store them with \`edgemaker exchange add ${exchange}\``,
        { cause: error },
      );
    });
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
