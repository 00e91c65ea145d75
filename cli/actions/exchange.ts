import { readFile } from "node:fs/promises";
import {
  activeFaults,
  replayedFile,
  reset,
  sandboxBooks,
  setFault,
  shock,
} from "../../src/adapters/libsql/sandbox-books.ts";
import { serverStore } from "../../src/adapters/libsql/store.ts";
import { listingsOf } from "../../src/adapters/sandbox/listings.ts";
import { deposit } from "../../src/adapters/sandbox/venue.ts";
import { chainedOut, verify } from "../../src/audit/operations/audit.ts";
import { spanOf } from "../../src/candles/file.ts";
import type { ConfiguredExchange } from "../../src/compose/config.ts";
import type { Channels, Live } from "../../src/compose/deps.ts";
import { parseDecimal, text } from "../../src/kernel/decimal.ts";
import { AppError, SettingsError } from "../../src/kernel/errors.ts";
import { ASSET, isPair } from "../../src/kernel/pair.ts";
import { prefixOf } from "../../src/kernel/plain-text.ts";
import { parseTime } from "../../src/kernel/read-time.ts";
import { DAY, dayOf, stampOf } from "../../src/kernel/time.ts";
import { checkBundle } from "../../src/liquidity/operations/check-proof.ts";
import { bundleLines, type ProofDeps, signDays } from "../../src/liquidity/operations/proof.ts";
import type { ProofKeys } from "../../src/liquidity/store/proofs.ts";
import type { LiquidityDeps } from "../../src/liquidity/store/store.ts";
import { accountKey, parseAccountKey } from "../../src/model/account.ts";
import { VENUES, type VenueName } from "../../src/model/market.ts";
import { FAULT_KINDS } from "../../src/model/venue-fault.ts";
import { openDatabase } from "../../src/storage/client/safe-client.ts";
import { configFile, shownUrl } from "../host/directories.ts";
import { createLog, nodeRuntime } from "../host/node-runtime.ts";
import { describeServer, runningServers } from "../host/running-servers.ts";
import { readKeys } from "../host/secret-input.ts";
import {
  type CliSettings,
  changeSettingsFile,
  keysInFile,
  readSettings,
  wholeFlag,
  withoutKeys,
} from "../host/settings.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";
import { byCommand, openDeps, withDatabase } from "./open-database.ts";
import { importKeys, openLive, refuseSecondKek, storeKeys } from "./store-keys.ts";
import { pairFlag } from "./stored-candles.ts";

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
  const settings = readSettings({ ...values, sandbox: false }, process.env);
  await refuseSecondKek(settings);
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
    const note = noteOf(configuredExchange, config.keks.length === 0);
    await storeKeys(settings, new Map([[exchange, keys]]), process.env);
    return { exchange, stored: true, assets, mayWithdraw: rightText(mayWithdraw), note };
  });
}

/** Explains which processes use the stored keys, and from when. */
function noteOf({ id, keys }: ConfiguredExchange, isNewKek: boolean): string {
  const inFile = keysInFile(process.env, id) !== undefined;
  if (keys && keys.from !== "file")
    return `${prefixOf(id)}_API_KEY is set here and overrides stored keys; unset it and restart the server`;
  if (isNewKek && !inFile) return "a running server uses them after a restart";
  return inFile
    ? "the old keys were removed from edgemaker.json; restart a running server, which has read them there"
    : `a running server uses them from its next pass; if it has ${prefixOf(id)}_API_KEY in its environment, restart it without that variable`;
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

const FILE_KEYS_REMOVED =
  "the keys were removed from edgemaker.json; restart a running server, which has read them there";

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
    : `if a running server has ${prefixOf(id)}_API_KEY in its environment, restart it without that variable`;
}

const rightText = (mayWithdraw: boolean | undefined): string =>
  mayWithdraw === undefined ? "not shown by the exchange" : mayWithdraw ? "yes" : "no";

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

const sandboxSettings = (values: Values) => readSettings({ ...values, sandbox: true }, process.env);

const runtimeOf = ({ databaseUrl, config }: CliSettings) =>
  nodeRuntime(databaseUrl, config, createLog("error"));

/** Opens the sandbox's database, and creates it if it is missing. */
async function withSandbox<T>(
  values: Values,
  act: (opened: Awaited<ReturnType<typeof openDatabase>>, marketNow: number, now: number) => Promise<T>,
): Promise<T> {
  const settings = sandboxSettings(values);
  const deps = await openDeps(settings);
  const now = await deps.store.now();
  const marketNow = deps.marketTime({ exchange: "", kind: "sandbox", host: "" }, now);
  deps.close();
  const context = await openDatabase({ ...runtimeOf(settings), migrations: [], kind: "sandbox" });
  try {
    return await act(context, marketNow, now);
  } finally {
    context.client.close();
  }
}

export async function resetSandbox(values: Values): Promise<number> {
  const settings = sandboxSettings(values);
  const runtime = runtimeOf(settings);
  const context = await openDatabase({ ...runtime, kind: "sandbox" });
  const [server] = await runningServers({ store: serverStore(context) });
  if (server) {
    context.client.close();
    throw new Error(`a server at ${describeServer(server)} uses this sandbox; stop it first`);
  }
  await reset(context, runtime.migrations);
  context.client.close();
  const deps = await openDeps(settings);
  deps.close();
  return print(values, { reset: true, database: shownUrl(settings.databaseUrl) });
}

export async function depositInSandbox(
  values: Values,
  request: { exchange: string; asset: string; amount: string },
): Promise<number> {
  const amount = parseDecimal(request.amount);
  if (amount === undefined || amount === 0n)
    throw new UsageError("--amount must be a number with at most 18 decimals");
  if (!ASSET.test(request.asset)) throw new UsageError("--asset must be upper-case letters and digits");
  const total = await withSandbox(values, (context) =>
    deposit(sandboxBooks(context), { ...request, amount }),
  );
  return print(values, { exchange: request.exchange, asset: request.asset, total: text(total) });
}

export async function shockSandbox(
  values: Values,
  { symbol, percent }: { symbol: string; percent: string },
): Promise<number> {
  const change = /^-?\d+(\.\d+)?$/.test(percent) ? Number(percent) : Number.NaN;
  if (!(change > -100 && change <= 1000))
    throw new UsageError("--percent must be a number above -100 and of at most 1000");
  const isListed = Object.keys(VENUES).some((venue) =>
    listingsOf(venue as VenueName).some((listing) => listing.symbol === symbol),
  );
  if (!isPair(symbol) || !isListed)
    throw new UsageError(`--symbol must be a listed pair, for example BTC/USDT; ${symbol} is not listed`);
  const at = await withSandbox(values, async (context, now) => {
    const file = await replayedFile(context, symbol);
    if (file !== undefined)
      throw new UsageError(
        `${symbol} is replayed from ${file}; choose another pair, or simulate it in another sandbox with --db`,
      );
    await shock(context, { symbol, factor: 1 + change / 100, at: now });
    return now;
  });
  return print(values, { symbol, percent: change, at: new Date(at).toISOString() });
}

/** Sets or ends a fault, and shows those that have not ended. */
export async function faultInSandbox(values: Values): Promise<number> {
  const { exchange, kind, for: length, clear } = values;
  const named = exchange === undefined ? undefined : String(exchange);
  const chosen = FAULT_KINDS.find((one) => one === kind);
  const span = length === undefined ? null : spanOf(String(length));
  if (kind !== undefined && !chosen) throw new UsageError(`--kind must be one of ${FAULT_KINDS.join(", ")}`);
  if (chosen && clear) throw new UsageError("use either --kind or --clear");
  if (chosen ? named === undefined : (named !== undefined || length !== undefined) && !clear)
    throw new UsageError(`${chosen ? "--exchange" : "--kind"} is missing`);
  if (span === undefined || (clear && length !== undefined))
    throw new UsageError(
      "--for must be the length of a new fault: a number and a unit, for example 30s or 10m",
    );
  const faults = await withSandbox(values, async (context, from, now) => {
    const fault = chosen ? { kind: chosen, from, until: span && now + span } : null;
    if ((fault || clear) && !(await setFault(context, named, fault)))
      throw new UsageError(`the sandbox has no exchange ${named}`);
    return activeFaults(context, now);
  });
  return print(values, {
    faults: faults.map(({ from, until, ...fault }) => ({
      ...fault,
      from: stampOf(from),
      until: until === null ? null : stampOf(until),
    })),
  });
}

export const showProofKey = (values: Values): Promise<number> =>
  withDatabase(values, async (deps) => {
    const { proofs } = proofDeps(deps);
    await proofs.createKey();
    return { publicKey: (await proofs.key())?.publicKey, algorithm: "Ed25519" };
  });

/** Signs finished days, and prints them line by line. */
export async function publishProof(values: Values): Promise<number> {
  const pair = { exchange: exchangeFlag(values), symbol: pairFlag(values) };
  const span = { from: dayGiven(values, "from") ?? 0, to: dayGiven(values, "to") ?? Number.MAX_SAFE_INTEGER };
  return withDatabase(values, async (deps) => {
    const proof = proofDeps(deps);
    const key = await proof.proofs.key();
    if (!key)
      throw new AppError("Not found", "there is no key to sign with; create it with `edgemaker proof key`");
    await signDays(proof, pair, { key, now: await deps.store.now() });
    for await (const line of bundleLines(proof, pair, span)) process.stdout.write(`${line}\n`);
    return undefined;
  });
}

export async function verifyProof(values: Values): Promise<number> {
  if (values.file === undefined) throw new UsageError("name the file to verify");
  const file = await readFile(String(values.file));
  const verdict = await checkBundle(file, hexGiven(values, "key"), hexGiven(values, "hash"));
  print(values, verdict);
  return verdict.valid ? 0 : 1;
}

const HEX_NAMES = { key: "a public key", hash: "the hash of a day" } as const;

function hexGiven(values: Values, name: keyof typeof HEX_NAMES): string | undefined {
  const text = values[name] === undefined ? undefined : String(values[name]);
  if (text !== undefined && !/^[0-9a-f]{64}$/.test(text))
    throw new UsageError(`--${name} must be ${HEX_NAMES[name]}: 64 hexadecimal digits`);
  return text;
}

function proofDeps({ liquidity }: LiquidityDeps): ProofDeps & { readonly proofs: ProofKeys } {
  if (!liquidity?.proofs) throw new SettingsError("this database stores no samples");
  return { store: liquidity.store, proofs: liquidity.proofs };
}

function exchangeFlag({ exchange }: Values): string {
  if (typeof exchange !== "string") throw new UsageError("--exchange is required, for example kraken");
  return exchange;
}

function dayGiven(values: Values, name: string): number | undefined {
  const value = values[name];
  if (value === undefined) return undefined;
  const at = parseTime(String(value));
  if (at === undefined) throw new UsageError(`--${name} must be a day, for example 2026-01-31`);
  return dayOf(at);
}

const EVENTS_PER_EXPORT = 1000;

export async function verifyEvents(values: Values): Promise<number> {
  let isIntact = false;
  const code = await withDatabase(values, async ({ store, signers = [] }) => {
    const { next: _all, ...verdict } = await verify(store, signers);
    isIntact = verdict.intact;
    return verdict;
  });
  return isIntact ? code : 1;
}

export async function exportEvents(values: Values): Promise<number> {
  const from = wholeFlag(values, "after", { default: 0, max: Number.MAX_SAFE_INTEGER });
  return withDatabase(values, async ({ store }) => {
    let [id, isWhole] = [from, false];
    while (!isWhole) {
      const page = await store.eventsAfter(id, EVENTS_PER_EXPORT);
      const lines = page.map((event) => `${JSON.stringify(chainedOut(event))}\n`);
      process.stdout.write(lines.join(""));
      id = page.at(-1)?.id ?? id;
      isWhole = page.length < EVENTS_PER_EXPORT;
    }
    return undefined;
  });
}

export async function signEvents(values: Values): Promise<number> {
  const days = wholeFlag(values, "keep-days", { default: undefined, min: 1, max: 36_500 });
  return withDatabase(values, async ({ store, signers: [signer] = [] }) => {
    if (!signer)
      throw new SettingsError(
        "EDGEMAKER_KEK is not set; checkpoints are signed with a key derived from it. Run `edgemaker setup`, which creates it",
      );
    const keep = days === undefined ? undefined : days * DAY;
    const { checkpoint, cut } = await store.checkpoint(signer, keep, byCommand());
    const { number, at, key, signature, marks } = checkpoint;
    return { number, at: new Date(at).toISOString(), key, signature, deleted: cut, chains: marks.length };
  });
}
