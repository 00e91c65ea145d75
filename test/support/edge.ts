import type { RequestInit as WorkerRequestInit } from "miniflare";
import { createLog, nodeRuntime } from "../../cli/host/node-runtime.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { createDeps } from "../../src/compose/deps.ts";
import type { SandboxOptions } from "../../src/compose/sandbox.ts";
import { addTokens, type Target, TOKENS } from "./app.ts";
import { heard } from "./heard.ts";
import { startSqld } from "./sqld.ts";
import { startWorker, type WorkerOptions } from "./worker.ts";

/** A libSQL server whose database is migrated for these settings, and the store on it from Node. */
export async function edgeDatabase(given: Readonly<Record<string, string>>, sandbox: SandboxOptions = {}) {
  const database = await startSqld();
  const settings = { ...given, EDGEMAKER_DATABASE_URL: database.url };
  const config = parseConfig(settings);
  const deps = await createDeps(config, nodeRuntime(database.url, config, createLog("error")), sandbox);
  await addTokens(deps.store);
  const close = async () => {
    deps.close();
    await database.stop();
  };
  return { settings: { ...settings, EDGEMAKER_TOKEN: TOKENS.admin }, url: database.url, deps, close };
}

/** The built worker in workerd over a libSQL server, with the files that the platform serves, as a client sees it. */
export async function edgeApp(
  over: Readonly<Record<string, string>> = {},
  { sandbox, ...options }: WorkerOptions & { readonly sandbox?: SandboxOptions } = {},
) {
  const { settings, deps, url, close } = await edgeDatabase({ EDGEMAKER_SANDBOX: "1", ...over }, sandbox);
  const worker = await startWorker(settings, { assets: true, ...options });
  const target: Target = {
    tokens: TOKENS,
    ask: async (path, init) =>
      heard(
        path,
        (await worker.dispatchFetch(
          `http://localhost${path}`,
          init as WorkerRequestInit,
        )) as unknown as Response,
      ),
  };
  return {
    ...target,
    worker,
    deps,
    url,
    async close() {
      await worker.dispose();
      await close();
    },
  };
}
