import { createDeps } from "../src/deps.ts";
import type { By } from "../src/events.ts";
import { digest } from "../src/kernel/digest.ts";
import type { Deps } from "../src/ports.ts";
import type { Values } from "./arguments.ts";
import { createLog, nodeLocal, nodeRuntime } from "./node-runtime.ts";
import { print } from "./output.ts";
import { newToken } from "./server-file.ts";
import { numberOf, readSettings } from "./settings.ts";

/** Runs something on the database of a command and prints its answer, if it has one. Returns the exit code. */
export async function withDatabase(values: Values, act: (deps: Deps) => Promise<unknown>): Promise<number> {
  const { config, databaseUrl, sandbox } = readSettings(values, process.env);
  const deps = await createDeps(config, nodeRuntime(databaseUrl, config, createLog("error")), sandbox);
  try {
    const answer = await act(deps);
    return answer === undefined ? 0 : print(values, answer);
  } finally {
    deps.close();
  }
}

/** Who does what a command does here. */
export const byCommand = (): By => ({ actor: "local", request: nodeLocal.randomText(12) });

export { digest, newToken, nodeLocal, numberOf };
