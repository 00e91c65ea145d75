/** Paths on this machine, without dependencies on databases or exchanges, so help is fast. */

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SettingsError } from "../../src/kernel/errors.ts";

type HostEnvironment = NodeJS.ProcessEnv;

/** Returns the folder for the user's databases and the addresses of running servers. Writers create it. */
export const dataDirectory = (env: HostEnvironment): string =>
  join(
    base(env, {
      variable: "XDG_DATA_HOME",
      mac: "Library/Application Support",
      windows: "LOCALAPPDATA",
      unix: ".local/share",
    }),
    "edgemaker",
  );

/** Path of `edgemaker.json`, which has the same keys as the environment. */
export const configFile = (env: HostEnvironment): string =>
  join(
    base(env, {
      variable: "XDG_CONFIG_HOME",
      mac: "Library/Preferences",
      windows: "APPDATA",
      unix: ".config",
    }),
    "edgemaker",
    "edgemaker.json",
  );

function base(
  env: HostEnvironment,
  names: { variable: string; mac: string; windows: string; unix: string },
): string {
  const home = env.HOME || homedir();
  const named = env[names.variable];
  if (named) return named;
  if (process.platform === "darwin") return join(home, names.mac);
  if (process.platform === "win32") return env[names.windows] ?? join(home, "AppData");
  return join(home, names.unix);
}

export const defaultDatabaseUrl = (env: HostEnvironment, sandbox: boolean): string =>
  `file:${join(dataDirectory(env), sandbox ? "sandbox.db" : "edgemaker.db")}`;

/** Returns the absolute path of a `file:` URL; undefined for a server's. */
export function databaseFile(url: string): string | undefined {
  if (!url.startsWith("file:")) {
    if (/^(libsql|https?):\/\//.test(url)) return undefined;
    const meant = url.includes(":") ? "" : `: for a file, file:${url}`;
    throw new SettingsError(
      `a database must be file:<path> or libsql://<host>, not ${shownUrl(url)}${meant}`,
    );
  }
  const path = url.slice("file:".length).replace(/\?.*$/, "");
  if (path === "") throw new SettingsError("a database file needs a path: file:<path>");
  return resolve(path.startsWith("//") ? fileURLToPath(url) : path);
}

/** Returns the missing folder of a database's file; creates the default folder without asking. */
export function absentFolder(url: string, env: NodeJS.ProcessEnv): string | undefined {
  const file = databaseFile(url);
  const folder = file === undefined ? undefined : dirname(file);
  if (folder === undefined || folder === resolve(dataDirectory(env)) || existsSync(folder)) return undefined;
  return folder;
}

/** Returns a database's address without its secrets. */
export const shownUrl = (url: string): string =>
  url.replace(/^(\w+:\/\/)[^/@]*@/, "$1").replace(/([?&](?:authToken|token|password|jwt)=)[^&]*/gi, "$1…");

/** Returns the folder of the package, from a source file or from the bundle. */
export const packageFolder = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "drizzle"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the package folder was not found");
    folder = parent;
  }
  return folder;
};
