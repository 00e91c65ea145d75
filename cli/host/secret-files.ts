import { readFileSync } from "node:fs";
import { Settings } from "../../src/compose/config.ts";
import { messageOf, SettingsError } from "../../src/kernel/errors.ts";

const SUFFIX = "_FILE";

/**
 * Replaces each `NAME_FILE` of an environment by `NAME` with the text of that file, as containers get their secrets.
 * `NAME` is a setting or a key of one of these exchanges. Throws SettingsError.
 */
export function readSecretFiles(
  env: NodeJS.ProcessEnv,
  keysOf: (env: NodeJS.ProcessEnv) => readonly string[],
): void {
  for (const name of Object.keys(Settings.shape)) readSecretFile(env, name);
  // The files may name the exchanges.
  for (const name of keysOf(env)) readSecretFile(env, name);
}

function readSecretFile(env: NodeJS.ProcessEnv, name: string): void {
  const file = env[`${name}${SUFFIX}`];
  if (file === undefined) return;
  delete env[`${name}${SUFFIX}`];
  if (file === "") return;
  if (env[name]) throw new SettingsError(`${name} and ${name}${SUFFIX} are both set; remove one`);
  try {
    env[name] = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new SettingsError(`${name}${SUFFIX}: ${messageOf(error)}`);
  }
  // Without a text it would count as not set: a server without its limits, or with keys that are not encrypted.
  if (env[name] === "") throw new SettingsError(`${name}${SUFFIX}: the file is empty`);
}
