import { Worker } from "node:worker_threads";
import { bundleWorker, runJobs } from "../simulation/build.ts";
import type { Job } from "../simulation/jobs.ts";
import type { Mutant } from "../simulation/mutant.ts";
import { SWARM, TICKS } from "../simulation/tiers.ts";
import { sharedKnown } from "./known.ts";
import type { Setting } from "./setting.ts";
import { stopwatch } from "./stopwatch.ts";
import type { Answered, Requested } from "./worker.ts";

const one = (menu: Setting["menu"], name: string, reads: Setting["reads"] = "fresh"): Setting => ({
  name: reads === "old" ? `${name}, old reads` : name,
  slots: 1,
  reads,
  menu,
});

const SILENCE = one("silence", "orders that nobody hears of");
const SILENCE_OLD = one("silence", "orders that nobody hears of", "old");
const TRADES = one("trades", "how executions are told");
const RESTORES = one("restores", "a database put back");
const PEOPLE = one("people", "what people do");
const PROCESSES = one("processes", "processes in each other's way");
const HINTS = one("hints", "passes at any moment", "old");
const ORDERS = one("orders", "what befalls orders");
const ORDERS_OLD = one("orders", "what befalls orders", "old");
const EVERYTHING = one("all", "everything");
const EVERYTHING_OLD = one("all", "everything", "old");

/** Each with how many moves are walked of it, and after how many waits its traces are cut off; without, at rest. */
export const WALKS: readonly (readonly [setting: Setting, moves: number, waits?: number])[] = [
  [{ name: "two slots, reads of now, 40 waits", slots: 2, reads: "fresh", menu: "all" }, 2, 40],
  [{ name: "two slots, old reads, 40 waits", slots: 2, reads: "old", menu: "all" }, 2, 40],
  [{ ...RESTORES, name: "two slots, a database put back", slots: 2 }, 2],
  [{ ...SILENCE, name: "two slots, orders that nobody hears of", slots: 2 }, 2],
  [{ ...PROCESSES, name: "two slots, processes in each other's way", slots: 2 }, 2],
  [{ ...HINTS, name: "two slots, passes at any moment", slots: 2 }, 2],
  [{ name: "two slots, reads of now", slots: 2, reads: "fresh", menu: "all" }, 2],
  [{ name: "two slots, reads as old as they may be", slots: 2, reads: "old", menu: "all" }, 2],
  [{ name: "one slot, reads of now, what befalls orders", slots: 1, reads: "fresh", menu: "orders" }, 2],
  [{ name: "one slot, old reads, what befalls orders", slots: 1, reads: "old", menu: "orders" }, 2],
  [{ name: "one slot, how executions are told", slots: 1, reads: "fresh", menu: "trades" }, 3],
  [{ name: "one slot, old reads, how executions are told", slots: 1, reads: "old", menu: "trades" }, 3],
];

/** In the order in which a weakened protocol is walked: one move each, then more of them, small walks before large ones. */
const LADDER: readonly (readonly [moves: number, settings: readonly Setting[]])[] = [
  [1, [SILENCE, TRADES, RESTORES, ORDERS, SILENCE_OLD, ORDERS_OLD]],
  [1, [PEOPLE, PROCESSES, EVERYTHING, EVERYTHING_OLD]],
  [2, [SILENCE, SILENCE_OLD, TRADES, RESTORES, PEOPLE, PROCESSES]],
  [3, [RESTORES]],
  [2, [ORDERS, ORDERS_OLD]],
  [3, [SILENCE, SILENCE_OLD, TRADES]],
  [2, [EVERYTHING, EVERYTHING_OLD]],
];

const ENTRY = "test/world/worker.ts";

/** What a walk makes lives for a moment, or until its end: hardly any of it is copied in a young heap of this size. */
const MEMORY = { maxOldGenerationSizeMb: 6000, maxYoungGenerationSizeMb: 192 };

function openThread(script: string) {
  const worker = new Worker(script, { resourceLimits: MEMORY });
  return {
    walk: (request: Requested): Promise<Answered> =>
      new Promise((resolve, reject) => {
        worker.removeAllListeners();
        worker.on("message", resolve);
        worker.on("error", reject);
        worker.postMessage(request);
      }),
    close: () => worker.terminate(),
  };
}

/** A thread is given up with its heap after each walk: a million states leave much behind. */
function inThread(script: string, request: Requested): Promise<Answered> {
  const thread = openThread(script);
  return thread.walk(request).finally(thread.close);
}

/** Walks them one after another, each with so many threads at once. */
export async function walkAll(
  requests: readonly Requested[],
  {
    threads,
    onAnswer: report = () => {},
  }: { readonly threads: number; readonly onAnswer?: (one: Answered) => void },
): Promise<Answered[]> {
  const script = await bundleWorker(undefined, ENTRY);
  const answered: Answered[] = [];
  for (const one of requests) {
    const shared = sharedKnown();
    const parts = Array.from({ length: threads }, (_, i) =>
      inThread(script, { ...one, team: { shared, isFirst: i === 0 } }),
    );
    const walked = (await Promise.all(parts)).reduce(together);
    answered.push(walked);
    report(walked);
  }
  return answered;
}

/** What two threads have walked of one world. */
const together = (one: Answered, other: Answered): Answered => ({
  request: one.request,
  quiet: one.quiet,
  states: one.states + other.states,
  transitions: one.transitions + other.transitions,
  rests: one.rests + other.rests,
  cuts: one.cuts + other.cuts,
  byMoves: one.byMoves.map((count, i) => count + (other.byMoves[i] ?? 0)),
  awaits: Math.max(one.awaits, other.awaits),
  seconds: Math.max(one.seconds, other.seconds),
  isWhole: one.isWhole && other.isWhole,
  story: one.story ?? other.story,
});

/** One walk with a weakened protocol, or with the whole one. */
export const walkOf = async (mutant: Mutant | undefined, request: Requested): Promise<Answered> =>
  inThread(await bundleWorker(mutant, ENTRY), request);

export interface Caught {
  /** Undefined where no walk has found it in its time. */
  readonly by: Answered | undefined;
  /** Of the processor. */
  readonly seconds: number;
}

/** Walks with a weakened protocol, fewest moves first, until one shows it; `seconds` are of the processor. */
export async function weaken(mutant: Mutant, seconds: number, moves = 3): Promise<Caught> {
  const thread = openThread(await bundleWorker(mutant, ENTRY));
  const spent = stopwatch("processor");
  try {
    const rungs = LADDER.filter(([each]) => each <= moves);
    for (const [most, setting] of rungs.flatMap(([each, all]) => all.map((one) => [each, one] as const))) {
      // At most half of what is left, so that a large walk leaves time for others.
      const request: Requested = { setting, moves: most, seconds: (seconds - spent()) / 2, of: "processor" };
      const by = await thread.walk(request);
      if (by.story) return { by, seconds: spent() };
    }
    return { by: undefined, seconds: spent() };
  } finally {
    await thread.close();
  }
}

export interface Sown {
  /** Which of them shows it, the first being 1; undefined where none does. */
  readonly seed: number | undefined;
  readonly what: string | undefined;
  /** Of the processor. */
  readonly seconds: number;
}

const MAX_SEEDS = 300;

/** Seeds with a mix of faults of their own, from any number on, until one shows the weakened protocol. */
export async function sow(mutant: Mutant, from: number, seconds: number): Promise<Sown> {
  const script = await bundleWorker(mutant);
  const spent = stopwatch("processor");
  for (let count = 0; count < MAX_SEEDS && spent() < seconds; count += SEEDS_A_TURN) {
    const job = seedsOf(from + count, SEEDS_A_TURN);
    const { runs, failed } = await runJobs(script, [job], { workers: 1 });
    if (failed[0]) return { seed: count + runs, what: failed[0].what, seconds: spent() };
  }
  return { seed: undefined, what: undefined, seconds: spent() };
}

const SEEDS_A_TURN = 30;

const seedsOf = (from: number, count: number): Job => ({
  kind: "seeds",
  from: SWARM + from,
  count,
  shape: { ticks: TICKS },
  untilFirst: true,
});
