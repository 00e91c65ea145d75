import type { StoredKeys } from "../../src/adapters/libsql/credential-store.ts";
import { createDeps, type Live } from "../../src/compose/deps.ts";
import { kekOf } from "../../src/compose/setting-values.ts";
import { SettingsError, VenueError } from "../../src/kernel/errors.ts";
import { accountKey } from "../../src/model/account.ts";
import { createLog, nodeRuntime } from "../host/node-runtime.ts";
import { type CliSettings, changeSettingsFile, keysInFile, withoutKeys } from "../host/settings.ts";
import { UsageError } from "../terminal/arguments.ts";
import { byCommand, openDeps } from "./open-database.ts";

/** Opens the live exchanges of a database. Throws UsageError if they are simulated. */
export async function openLive({ config, databaseUrl }: CliSettings) {
  const runtime = nodeRuntime(databaseUrl, config, createLog("error"));
  const deps = await createDeps(config, { ...runtime, putsKeysInOrder: true });
  if (deps.live) return { ...deps, live: deps.live };
  deps.close();
  throw new UsageError("simulated exchanges need no keys");
}

/** Throws SettingsError if EDGEMAKER_KEK is not set, and the database has keys or channels that it encrypts. */
export async function refuseSecondKek(settings: CliSettings): Promise<void> {
  if (settings.config.keks.length > 0) return;
  const { live, notify, close } = await openDeps(settings);
  const encrypted = await Promise.all([
    live?.credentials.list() ?? [],
    notify?.store.channels() ?? [],
  ]).finally(close);
  if (encrypted.flat().length > 0)
    throw new SettingsError(
      "EDGEMAKER_KEK is not set, and the database has keys or channels that it encrypts; set EDGEMAKER_KEK as the server has it",
    );
}

type Say = (line: string) => void;

/**
 * Returns settings that can encrypt keys. Without EDGEMAKER_KEK, it creates one, writes it to `edgemaker.json` and says so.
 * Call it when there is something to store, so that a refused command leaves nothing.
 */
export async function withKek(
  settings: CliSettings,
  env: NodeJS.ProcessEnv,
  say: Say = (line) => void process.stderr.write(`${line}\n`),
): Promise<CliSettings> {
  if (settings.config.keks.length > 0) return settings;
  await refuseSecondKek(settings);
  const kek = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");
  const file = changeSettingsFile(env, { EDGEMAKER_KEK: kek });
  say(`Created an encryption key in ${file}. Back up this file in another place than the database.`);
  return { ...settings, config: { ...settings.config, keks: [kekOf(kek)] } };
}

/** Stores keys in the database. Returns settings that can encrypt them: see `withKek`. */
export async function storeKeys(
  before: CliSettings,
  keys: ReadonlyMap<string, StoredKeys>,
  env: NodeJS.ProcessEnv,
  say?: Say,
): Promise<CliSettings> {
  const settings = await withKek(before, env, say);
  const { live, close } = await openLive(settings);
  await keepKeys(live, keys, env).finally(close);
  return settings;
}

/** Stores keys in the database, encrypted, and removes those of the same exchanges from `edgemaker.json`. */
async function keepKeys(
  live: Live,
  keys: ReadonlyMap<string, StoredKeys>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  for (const [exchange, given] of keys) {
    await live.check.refuseSame({ exchange, keys: given });
    await live.credentials.put(accountKey(live.venues.accountOf(exchange)), given, byCommand());
  }
  const inFile = [...keys.keys()].filter((id) => keysInFile(env, id));
  if (inFile.length > 0) changeSettingsFile(env, withoutKeys(inFile));
}

/** Outcome for an exchange whose keys were in `edgemaker.json`. */
interface ImportedKeys {
  readonly exchange: string;
  /** False if the exchange refuses them and the database has others, which stay. */
  readonly stored: boolean;
}

/** Moves the keys in `edgemaker.json` into the database. Requests the exchange only if the database has other keys. */
export async function importKeys(
  settings: CliSettings,
  env: NodeJS.ProcessEnv,
): Promise<readonly ImportedKeys[]> {
  const inFile = settings.config.exchanges.flatMap(({ id }) => {
    const keys = keysInFile(env, id);
    return keys ? [[id, keys] as const] : [];
  });
  if (inFile.length === 0) return [];
  const { live, close } = await openLive(await withKek(settings, env));
  try {
    const imported: ImportedKeys[] = [];
    for (const [exchange, keys] of inFile) {
      const stored = await winsOverStored(live, exchange, keys);
      if (stored) await keepKeys(live, new Map([[exchange, keys]]), env);
      else changeSettingsFile(env, withoutKeys([exchange]));
      imported.push({ exchange, stored });
    }
    return imported;
  } finally {
    close();
  }
}

/**
 * The keys in the file were in use, so they replace stored ones, unless the exchange refuses them. Stored keys that
 * cannot be decrypted here can be valid for a server with another EDGEMAKER_KEK.
 */
async function winsOverStored({ credentials, venues }: Live, exchange: string, keys: StoredKeys) {
  const stored = await credentials
    .get(accountKey(venues.accountOf(exchange)))
    .catch((error: unknown): "undecryptable" => {
      if (error instanceof SettingsError) return "undecryptable";
      throw error;
    });
  if (!stored || (stored !== "undecryptable" && stored.key === keys.key)) return true;
  return venues.checkKeys(exchange, keys).then(
    () => true,
    (error: unknown) => {
      if (error instanceof VenueError && error.failure === "invalid_credentials") return false;
      throw error;
    },
  );
}
