/** Many sequences. Twenty of them share a database. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "../random.ts";
import { runSequence } from "./sequence.ts";
import { openCluster } from "./servers.ts";

export interface PropertyOptions {
  readonly from: number;
  readonly count: number;
  /** Where the databases are created. */
  readonly folder: string;
}

export interface PropertyResult {
  readonly sequences: number;
  readonly crashes: number;
  readonly beyond: readonly string[];
  /** How often each tool was done, refused, and cut off by a crash. */
  readonly tools: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Actions that were followed by fills. */
  readonly traded: number;
  /** The largest share of its count that an action has traded. */
  readonly share: number;
  /** Actions whose fills exceed the count if every cycle is counted again. */
  readonly turned: number;
}

/** So many servers, which die at random calls, share a database. */
const SERVERS = 2;
export const PER_CLUSTER = 20;

export async function exposureProperty({ from, count, folder }: PropertyOptions): Promise<PropertyResult> {
  const tools: Record<string, Record<string, number>> = {};
  const beyond: string[] = [];
  let [crashed, traded, turned, share] = [0, 0, 0, 0];
  for (let first = from; first < from + count; first += PER_CLUSTER) {
    const file = join(folder, `exposure-${first}.db`);
    const cluster = await openCluster(`file:${file}`, { seed: first, servers: SERVERS });
    try {
      for (let seed = first; seed < Math.min(first + PER_CLUSTER, from + count); seed++) {
        const result = await runSequence(cluster, createRandom(seed));
        crashed += result.crashes;
        beyond.push(...result.beyond.map((line) => `seed ${seed}: ${line}`));
        for (const action of result.actions) {
          for (const [index, { tool, starts }] of action.tools.entries()) {
            const outcome = action.outcomes[index] ?? "";
            const name = starts === undefined ? tool : `${tool} ${starts}`;
            const counts = tools[name] ?? {};
            tools[name] = { ...counts, [outcome]: (counts[outcome] ?? 0) + 1 };
          }
          const gross = action.traded.reduce((sum, { gross }) => sum + gross, 0n);
          const total = action.traded.reduce((sum, { total }) => sum + total, 0n);
          if (total > 0n) share = Math.max(share, Number(total) / Number(action.counted));
          if (gross > 0n) traded++;
          if (gross > action.counted) turned++;
        }
      }
    } finally {
      cluster.close();
      for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
    }
  }
  return { sequences: count, crashes: crashed, beyond, tools, traded, turned, share };
}
