import { createDeps } from "../../src/compose/deps.ts";
import { SettingsError } from "../../src/kernel/errors.ts";
import type { ActorAndRequest } from "../../src/model/events.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { createLog, nodeRuntime } from "../host/node-runtime.ts";
import { nodeLocal } from "../host/process/node-local.ts";
import { type CliSettings, readSettings } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";

/** Opens the database and the exchanges of a command, which it must close. */
export async function openDeps({ config, databaseUrl, sandbox }: CliSettings, { isKill = false } = {}) {
  const runtime = () => nodeRuntime(databaseUrl, config, createLog("error"));
  try {
    return await createDeps(config, runtime(), sandbox);
  } catch (error) {
    // The kill switch must work on the database of an older or newer program too, and its row is the same there.
    if (!isKill || !(error instanceof SettingsError)) throw error;
    return createDeps(config, { ...runtime(), migrations: [] }, sandbox);
  }
}

/** Runs an action on a command's database and prints its result, if any. Returns the exit code. */
export async function withDatabase(values: Values, act: (deps: Deps) => Promise<unknown>): Promise<number> {
  const deps = await openDeps(readSettings(values, process.env));
  try {
    const answer = await act(deps);
    return answer === undefined ? 0 : print(values, answer);
  } finally {
    deps.close();
  }
}

/** Returns the actor of a command on this machine. */
export const byCommand = (): ActorAndRequest => ({ actor: "local", request: nodeLocal.randomText(12) });
