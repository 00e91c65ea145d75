import type { StoredCredentials } from "../adapters/vault/stored-keys.ts";
import { keyHash } from "../kernel/digest.ts";
import { SettingsError, VenueError } from "../kernel/errors.ts";
import { prefixOf } from "../kernel/key-names.ts";
import { type AccountRef, accountKey } from "../model/account.ts";
import type { Keys } from "../ports/venue.ts";
import type { Config, ConfiguredExchange } from "./config.ts";
import { refuseSameKeys } from "./same-keys.ts";
import { unopenedText } from "./stored-credentials.ts";

interface KeyParts {
  readonly config: Config;
  readonly credentials: StoredCredentials<Omit<Keys, "hash">>;
  readonly found: (exchange: string) => ConfiguredExchange;
  readonly accountOf: (exchange: string) => AccountRef;
}

/** The server's own keys of each exchange, from the environment, the settings file or the database. */
export function liveKeys({ config, credentials, found, accountOf }: KeyParts) {
  const stored = (exchange: string) =>
    credentials.get(accountKey(accountOf(exchange))).catch((error: unknown) => {
      if (!(error instanceof SettingsError)) throw error;
      throw new SettingsError(unopenedText(exchange, error.message), { cause: error });
    });
  // The environment overrides stored keys.
  const own = async (exchange: string): Promise<Keys | undefined> => {
    const { keys, venue: name } = found(exchange);
    const values = keys ?? (await stored(exchange));
    if (!values) return undefined;
    // Another process can store keys while this one runs, without knowing this environment.
    const others = config.exchanges.flatMap(({ id, venue, keys: otherKeys }) =>
      otherKeys && id !== exchange ? [{ id, venue, key: otherKeys.key }] : [],
    );
    if (!keys) refuseSameKeys([...others, { id: exchange, venue: name, key: values.key }]);
    return { ...(await hashed(values)), origin: keyOriginOf(exchange, keys) };
  };
  /** Returns the keys for a call; without keys it fails with the usual error. */
  const forCall = (exchange: string): Promise<Keys | undefined> =>
    own(exchange).catch((error: unknown) => {
      if (!(error instanceof SettingsError)) throw error;
      throw new VenueError("missing_credentials", error.message, { cause: error });
    });
  const isConfigured = (exchange: string): boolean =>
    found(exchange).keys !== undefined || credentials.has(accountKey(accountOf(exchange)));

  return { own, forCall, isConfigured };
}

/** Returns where the server's keys are, and how to replace them. */
function keyOriginOf(exchange: string, keys: ConfiguredExchange["keys"]): string {
  const command = `\`edgemaker exchange add ${exchange}\``;
  if (!keys) return `in the database; replace it with ${command}`;
  return keys.from === "file"
    ? `in edgemaker.json, which overrides the database; replace it with ${command}, and restart the server`
    : `${prefixOf(exchange)}_API_KEY in the environment, which overrides the database; replace it there, and restart the server`;
}

const hashedKeys = new WeakMap<object, Keys>();

/** Hashes keys from settings once, because they do not change within a process. */
export async function hashed(keys: Omit<Keys, "hash">): Promise<Keys> {
  const known = hashedKeys.get(keys);
  if (known) return known;
  const made = { ...keys, hash: await keyHash(keys.key) };
  hashedKeys.set(keys, made);
  return made;
}
