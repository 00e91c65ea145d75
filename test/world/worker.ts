// Walks one setting in a thread of its own: the entry that weakened protocols are built from too.
import { parentPort } from "node:worker_threads";
import { explore, type Walk } from "./explore.ts";
import type { Setting } from "./setting.ts";
import { story } from "./tell.ts";

export interface Asked {
  readonly setting: Setting;
  readonly moves: number;
  readonly seconds: number;
}

export interface Answered extends Omit<Walk, "found"> {
  readonly asked: Asked;
  readonly seconds: number;
  /** The trace that breaks something, as a person reads it. */
  readonly story: readonly string[] | undefined;
}

async function walk(asked: Asked): Promise<Answered> {
  const { setting, moves, seconds } = asked;
  const began = performance.now();
  const until = () => performance.now() - began > seconds * 1000;
  const { found, ...walked } = await explore(setting, { moves, until });
  return {
    ...walked,
    asked,
    seconds: (performance.now() - began) / 1000,
    story: found && (await story(setting, found)),
  };
}

parentPort?.on("message", async (asked: Asked) => parentPort?.postMessage(await walk(asked)));
