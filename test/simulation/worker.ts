// Runs jobs in a thread of its own: the entry that mutants are built from too.
import { parentPort } from "node:worker_threads";
import { faultAt, noFaults } from "./faults.ts";
import { added, type Job, NO_TALLY, type Tally } from "./jobs.ts";
import { type Result, simulate } from "./run.ts";
import type { Options } from "./world.ts";

// Every silence and refusal is an error, and none of them is looked at: where each was made is a fifth of the time.
Error.stackTraceLimit = 0;

parentPort?.on("message", async (job: Job) => parentPort?.postMessage(await runJob(job)));

const runJob = (job: Job): Promise<Tally> => (job.kind === "seeds" ? runSeeds(job) : runCalls(job));

async function runSeeds({
  from,
  count,
  shape,
  mirrored,
  untilFirst,
}: Job & { kind: "seeds" }): Promise<Tally> {
  let tally = NO_TALLY;
  for (let seed = from; seed < from + count; seed++) {
    const flags = [
      `--seed ${seed}`,
      `--ticks ${shape.ticks}`,
      ...(shape.timing ? [`--timing ${shape.timing}`] : []),
      ...(shape.calm ? [`--calm ${shape.calm}`] : []),
      ...(shape.trouble ? [`--trouble "${shape.trouble}"`] : []),
      ...(shape.strategy ? [`--strategy ${shape.strategy}`] : []),
      ...(shape.hints ? [`--hints ${shape.hints}`] : []),
      ...(shape.broken ? [`--broken "${shape.broken}"`] : []),
      ...(mirrored ? ["--libsql"] : []),
    ];
    tally = added(tally, await runOne({ seed, ...shape, mirrored: mirrored ?? false }, flags.join(" ")));
    if (untilFirst && tally.failed.length > 0) break;
  }
  return tally;
}

async function runCalls({ seed, shape, faults, from, to }: Job & { kind: "calls" }): Promise<Tally> {
  let tally = NO_TALLY;
  for (let call = from; call < to; call++) {
    for (const fault of faults) {
      const wrong = fault === "kill" ? { faults: noFaults, killAt: call } : { faults: faultAt(call, fault) };
      const flags = `--seed ${seed} --ticks ${shape.ticks} --calm ${shape.calm} --timing ${shape.timing}${shape.grid ? ` --grid ${shape.grid}` : ""}${shape.edition ? ` --edition ${shape.edition}` : ""}`;
      tally = added(
        tally,
        await runOne({ seed, ...shape, ...wrong }, `${flags} --call ${call} --fault ${fault}`),
      );
    }
  }
  return tally;
}

async function runOne(options: Options, run: string): Promise<Tally> {
  const result: Result = await simulate(options);
  const [first] = result.violations;
  const { passes, orders, fills, moves, calls, settled, density, right, hash } = result;
  const failed = first ? [{ run, what: first.what }] : [];
  return { runs: 1, passes, orders, fills, moves, calls, settled, density, right, hashes: [hash], failed };
}
