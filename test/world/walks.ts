import { Worker } from "node:worker_threads";
import { bundleWorker } from "../simulation/build.ts";
import type { Mutant } from "../simulation/mutant.ts";
import type { Setting } from "./setting.ts";
import type { Answered, Asked } from "./worker.ts";

/** Each with how many moves are walked of it. */
export const WALKS: readonly (readonly [Setting, number])[] = [
  [{ name: "two slots, reads of now", slots: 2, reads: "fresh", menu: "all" }, 2],
  [{ name: "two slots, reads as old as they may be", slots: 2, reads: "old", menu: "all" }, 2],
  [{ name: "one slot, reads of now, what befalls orders", slots: 1, reads: "fresh", menu: "orders" }, 2],
  [{ name: "one slot, old reads, what befalls orders", slots: 1, reads: "old", menu: "orders" }, 2],
  [{ name: "one slot, how executions are told", slots: 1, reads: "fresh", menu: "trades" }, 3],
  [{ name: "one slot, old reads, how executions are told", slots: 1, reads: "old", menu: "trades" }, 3],
];

/** Small ones, of which each move is walked soon. */
const SOON: readonly (readonly [Setting, number])[] = [
  [{ name: "how executions are told", slots: 1, reads: "fresh", menu: "trades" }, 2],
  [{ name: "what befalls orders", slots: 1, reads: "fresh", menu: "orders" }, 3],
  [{ name: "what befalls orders, old reads", slots: 1, reads: "old", menu: "orders" }, 3],
  [{ name: "what people do", slots: 1, reads: "fresh", menu: "people" }, 2],
  [{ name: "everything", slots: 1, reads: "fresh", menu: "all" }, 2],
  [{ name: "everything, old reads", slots: 1, reads: "old", menu: "all" }, 2],
];

const ENTRY = "test/world/worker.ts";

/** A thread is given up with its heap after each walk: a million states leave much behind. */
function inThread(script: string, asked: Asked): Promise<Answered> {
  const worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: 6000 } });
  return new Promise<Answered>((resolve, reject) => {
    worker.on("message", resolve);
    worker.on("error", reject);
    worker.postMessage(asked);
  }).finally(() => worker.terminate());
}

/** Walks them all, as many at once as there are workers. */
export async function walkAll(
  asked: readonly Asked[],
  { workers, told = () => {} }: { readonly workers: number; readonly told?: (one: Answered) => void },
): Promise<Answered[]> {
  const script = await bundleWorker(undefined, ENTRY);
  const waiting = [...asked];
  const answered: Answered[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const one = await inThread(script, next);
      answered.push(one);
      told(one);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return answered;
}

export interface Caught {
  readonly mutant: string;
  /** Undefined where no walk has found it in its time. */
  readonly by: Answered | undefined;
  readonly seconds: number;
}

/** One walk with a weakened protocol, or with the whole one. */
export const walkOf = async (mutant: Mutant | undefined, asked: Asked): Promise<Answered> =>
  inThread(await bundleWorker(mutant, ENTRY), asked);

/** Walks with a weakened protocol, fewest moves first, until one shows it. */
export async function weaken(mutant: Mutant, seconds: number, moves = 3): Promise<Caught> {
  const script = await bundleWorker(mutant, ENTRY);
  const began = performance.now();
  const spent = () => (performance.now() - began) / 1000;
  for (let most = 1; most <= moves; most++) {
    const walks = SOON.filter(([, all]) => all >= most);
    for (const [i, [setting]] of walks.entries()) {
      // What is left is for all of those that are left.
      const share = (seconds - spent()) / (walks.length - i);
      const by = await inThread(script, { setting, moves: most, seconds: share });
      if (by.story) return { mutant: mutant.name, by, seconds: spent() };
    }
  }
  return { mutant: mutant.name, by: undefined, seconds: spent() };
}
