import { homedir } from "node:os";
import { join } from "node:path";

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
