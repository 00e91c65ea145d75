// Walks one setting in a thread of its own: the entry that weakened protocols are built from too.
import { parentPort } from "node:worker_threads";
import { explore, type Walk } from "./explore.ts";
import { knownTogether, type Shared, turnsOf } from "./known.ts";
import type { Setting } from "./setting.ts";
import { stopwatch } from "./stopwatch.ts";
import { story } from "./tell.ts";

export interface Requested {
  readonly setting: Setting;
  readonly moves: number;
  /** After how many waits each trace is cut off; none is where nothing is said. */
  readonly waits?: number | undefined;
  readonly seconds: number;
  /** Of the clock, or of the processor: those of the whole process, however busy the machine is. */
  readonly of: "clock" | "processor";
  /** Where several threads walk it together, what they share, and which of them counts what all of them walk. */
  readonly team?: { readonly shared: Shared; readonly isFirst: boolean };
}

export interface Answered extends Omit<Walk, "found"> {
  readonly request: Requested;
  readonly seconds: number;
  /** The trace that breaks something, as a person reads it. */
  readonly story: readonly string[] | undefined;
}

// A trace says where it has come; nobody reads the stack of an error that a pass is told, and there are millions.
Error.stackTraceLimit = 0;

async function walk(request: Requested): Promise<Answered> {
  const { setting, moves, waits, seconds } = request;
  const spent = stopwatch(request.of);
  const until = () => spent() > seconds;
  const { found, ...walked } = await explore(setting, {
    moves,
    ...(waits !== undefined && { waits }),
    until,
    ...teamOf(request),
  });
  return {
    ...walked,
    request,
    seconds: spent(),
    story: found && (await story(setting, found)),
  };
}

function teamOf({ team }: Requested) {
  if (!team) return {};
  const { shared, isFirst } = team;
  return { team: { ...turnsOf(shared), known: knownTogether(shared), isFirst } };
}

parentPort?.on("message", async (request: Requested) => parentPort?.postMessage(await walk(request)));
