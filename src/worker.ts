/** The root on Workers: serves the app, and steps on its schedule. */
import { createClient } from "@libsql/client/web";
import { createApp } from "./app.ts";
import { parseConfig } from "./config.ts";
import { createDeps } from "./deps.ts";
import { messageOf, SettingsError } from "./errors.ts";
import { tick } from "./grid/tick.ts";
import { createOperations } from "./operations.ts";
import type { Local, Log } from "./ports.ts";

type Environment = Record<string, string | undefined>;

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";

const local: Local = {
  monotonic: () => performance.now(),
  randomText(length) {
    // 252 is the largest multiple of 36 in a byte: what is above would make some digits likelier.
    const digits: string[] = [];
    while (digits.length < length) {
      for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
        if (byte < 252 && digits.length < length) digits.push(DIGITS[byte % 36] as string);
      }
    }
    return digits.join("");
  },
  sleep: (millis) => new Promise((resolve) => setTimeout(resolve, millis)),
};

const log: Log = (level, message, fields) => console[level](JSON.stringify({ level, message, ...fields }));

/** The service for one invocation: nothing is shared between two of them. */
async function open(environment: Environment) {
  const config = parseConfig(environment);
  const { databaseUrl: url, databaseAuthToken: authToken } = config;
  if (!url) throw new SettingsError("EDGEMAKER_DATABASE_URL is not set");
  const client = createClient({ url, ...(authToken ? { authToken } : {}) });
  const readCandles = () => Promise.reject(new SettingsError("candle files are replayed on Node"));
  const deps = await createDeps(config, { client, migrations: [], local, log, readCandles });
  return { config, deps };
}

export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    const { config, deps } = await open(environment);
    const app = createApp({
      deps,
      operations: createOperations(config.exchanges.map(({ id }) => id)),
      access: {
        adminTokens: config.token ? [config.token] : [],
        allowedHosts: config.allowedHosts,
        checkHost: config.allowedHosts.length > 0,
      },
      mcp: { trading: config.mcpTrading, confirm: config.mcpConfirm },
      version: "edge",
      instance: "edge",
    });
    return app.fetch(request);
  },

  /** Nothing is thrown: a failed tick is tried again by the next one. */
  async scheduled(_event: unknown, environment: Environment): Promise<void> {
    try {
      const { deps } = await open(environment);
      await tick(deps);
    } catch (error) {
      log("error", "a scheduled tick failed", { message: messageOf(error) });
    }
  },
};
