import { makeFolder } from "../../support/temp.ts";
import { bundleWorker, runEach } from "../build.ts";
import type { Figures, How } from "../tiers.ts";
import { PER_CLUSTER, type PropertyOptions, type PropertyResult } from "./property.ts";

/** Sequences of a limited caller: none of its actions trades more than was counted against its limit. */
export async function exposureTier(from: number, count: number, how: How): Promise<Figures[]> {
  const { path: folder, remove } = makeFolder();
  const jobs = Array.from({ length: Math.ceil(count / PER_CLUSTER) }, (_, i): PropertyOptions => {
    const first = from + i * PER_CLUSTER;
    return { from: first, count: Math.min(PER_CLUSTER, from + count - first), folder };
  });
  const began = performance.now();
  const results = await runEach<PropertyOptions, PropertyResult>(
    await bundleWorker(undefined, "test/simulation/exposure/worker.ts"),
    jobs,
    { workers: how.workers, onProgress: (done) => how.report?.(`exposure: ${done} of ${jobs.length} parts`) },
  );
  remove();
  const seconds = Math.round((performance.now() - began) / 1000);
  const failed = results.flatMap(({ beyond }, i) => {
    const run = `--exposure --from ${jobs[i]?.from} --count ${jobs[i]?.count}`;
    return beyond.map((what) => ({ run, what }));
  });
  const total = (figure: (result: PropertyResult) => number) =>
    results.reduce((sum, result) => sum + figure(result), 0);
  const most = Math.round(1000 * Math.max(...results.map(({ share }) => share))) / 10;
  const sums = `${count} sequences from --from ${from} on, ${total(({ traded }) => traded)} actions that traded, ${total(({ crashes }) => crashes)} crashes, ${seconds} s, at most ${most} % of a count traded: ${failed.length} above the count; with every cycle counted again ${total(({ turned }) => turned)}`;
  return [{ title: "exposure", text: [sums, ...toolLines(results)].join("\n  "), failed }];
}

/** How often each tool was done, refused, and cut off by a crash. */
function toolLines(results: readonly PropertyResult[]): readonly string[] {
  const tools: Record<string, Record<string, number>> = {};
  for (const result of results)
    for (const [tool, outcomes] of Object.entries(result.tools)) {
      const counts = tools[tool] ?? {};
      tools[tool] = counts;
      for (const [outcome, times] of Object.entries(outcomes))
        counts[outcome] = (counts[outcome] ?? 0) + times;
    }
  return Object.entries(tools)
    .sort()
    .map(([tool, outcomes]) => {
      const counts = Object.entries(outcomes).sort();
      return `${tool.padEnd(24)} ${counts.map(([outcome, times]) => `${outcome} ${times}`).join(", ")}`;
    });
}
