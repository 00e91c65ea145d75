// Walks one setting in a thread of its own: the entry that weakened protocols are built from too.
import { parentPort } from "node:worker_threads";
import { explore, type Walk } from "./explore.ts";
import type { Setting } from "./setting.ts";
import { stopwatch } from "./stopwatch.ts";
import { story } from "./tell.ts";

export interface Asked {
  readonly setting: Setting;
  readonly moves: number;
  readonly seconds: number;
  /** Of the clock, or of the processor: those of the whole process, however busy the machine is. */
  readonly of: "clock" | "processor";
}

export interface Answered extends Omit<Walk, "found"> {
  readonly asked: Asked;
  readonly seconds: number;
  /** The trace that breaks something, as a person reads it. */
  readonly story: readonly string[] | undefined;
}

async function walk(asked: Asked): Promise<Answered> {
  const { setting, moves, seconds } = asked;
  const spent = stopwatch(asked.of);
  const until = () => spent() > seconds;
  const { found, ...walked } = await explore(setting, { moves, until });
  return {
    ...walked,
    asked,
    seconds: spent(),
    story: found && (await story(setting, found)),
  };
}

parentPort?.on("message", async (asked: Asked) => parentPort?.postMessage(await walk(asked)));
