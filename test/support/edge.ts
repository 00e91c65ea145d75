import type { RequestInit as WorkerRequestInit } from "miniflare";
import { createLog, nodeRuntime } from "../../cli/node-runtime.ts";
import { parseConfig } from "../../src/config.ts";
import { createDeps } from "../../src/deps.ts";
import { addTokens, type Target, TOKENS } from "./app.ts";
import { startSqld } from "./sqld.ts";
import { startWorker } from "./worker.ts";

/** The built worker in workerd over a libSQL server with a sandbox, as a client sees it. */
export async function edgeApp(
  over: Record<string, string> = {},
): Promise<Target & { close(): Promise<void> }> {
  const database = await startSqld();
  const settings = { EDGEMAKER_SANDBOX: "1", EDGEMAKER_DATABASE_URL: database.url, ...over };
  const config = parseConfig(settings);
  const deps = await createDeps(config, nodeRuntime(database.url, config, createLog("error")));
  await addTokens(deps.store);
  const worker = await startWorker({ ...settings, EDGEMAKER_TOKEN: TOKENS.admin });
  return {
    tokens: TOKENS,
    ask: async (path, init) =>
      (await worker.dispatchFetch(
        `http://localhost${path}`,
        init as WorkerRequestInit,
      )) as unknown as Response,
    async close() {
      await worker.dispose();
      deps.close();
      await database.stop();
    },
  };
}
