import type { StoredKeys } from "../../src/adapters/libsql/stores/credential-store.ts";
import { prefixOf } from "../../src/kernel/key-names.ts";
import { configFile } from "./directories.ts";
import { writePrivate } from "./private-file.ts";
import { fromFile } from "./settings.ts";

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

export const withoutKeys = (ids: readonly string[]): SettingChanges =>
  Object.fromEntries(ids.flatMap(keySettingsOf).map((name) => [name, undefined]));

const keySettingsOf = (id: string): readonly string[] =>
  ["API_KEY", "SECRET", "PASSPHRASE"].map((part) => `${prefixOf(id)}_${part}`);
