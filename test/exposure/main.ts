/** Runs the exposure property: npm run exposure -- [--count 10000] [--from 1] [--servers 2] [--jobs 2] [--no-crashes] */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { exposureProperty, type PropertyOptions, type PropertyResult } from "./property.ts";

type Part = PropertyOptions;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "10000" },
      from: { type: "string", default: "1" },
      servers: { type: "string", default: "2" },
      jobs: { type: "string", default: "2" },
      "no-crashes": { type: "boolean", default: false },
    },
  });
  const [count, from, servers, jobs] = [values.count, values.from, values.servers, values.jobs].map(
    Number,
  ) as [number, number, number, number];
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-exposure-"));
  const crashes = !values["no-crashes"];
  const startedAt = performance.now();
  const parts = partsOf({ from, count }, 200).map((part) => ({ ...part, servers, crashes, folder }));
  const results: PropertyResult[] = [];
  let next = 0;
  const work = async () => {
    for (let part = parts[next++]; part; part = parts[next++]) {
      const result = await inThread(part);
      results.push(result);
      for (const line of result.beyond) console.error(line);
      const done = results.reduce((sum, { sequences }) => sum + sequences, 0);
      const found = results.reduce((sum, { beyond }) => sum + beyond.length, 0);
      console.error(`${done} of ${count} sequences, ${found} above the count`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  rmSync(folder, { recursive: true, force: true });
  report(results, (performance.now() - startedAt) / 1000);
}

const partsOf = ({ from, count }: { from: number; count: number }, size: number) =>
  Array.from({ length: Math.ceil(count / size) }, (_, index) => ({
    from: from + index * size,
    count: Math.min(size, count - index * size),
  }));

const inThread = (part: Part): Promise<PropertyResult> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: part });
    worker.once("message", resolve);
    worker.once("error", reject);
  });

function report(results: readonly PropertyResult[], seconds: number): void {
  const total = (figure: (result: PropertyResult) => number) =>
    results.reduce((sum, result) => sum + figure(result), 0);
  const tools = new Map<string, Map<string, number>>();
  for (const result of results)
    for (const [tool, outcomes] of Object.entries(result.tools))
      for (const [outcome, times] of Object.entries(outcomes)) {
        const counts = tools.get(tool) ?? new Map<string, number>();
        tools.set(tool, counts.set(outcome, (counts.get(outcome) ?? 0) + times));
      }
  for (const [tool, outcomes] of [...tools].sort())
    console.log(
      `${tool.padEnd(20)} ${[...outcomes]
        .sort()
        .map(([outcome, times]) => `${outcome} ${times}`)
        .join(", ")}`,
    );
  const beyond = results.flatMap(({ beyond }) => beyond);
  console.log(
    `${total(({ sequences }) => sequences)} sequences, ${total(({ traded }) => traded)} actions that traded, ${total(({ crashes }) => crashes)} crashes, ${Math.round(seconds)} s, at most ${Math.round(1000 * Math.max(...results.map(({ share }) => share))) / 10} % of a count traded: ${beyond.length} above the count; with every cycle counted again ${total(({ turned }) => turned)}`,
  );
  process.exitCode = beyond.length > 0 ? 1 : 0;
}

if (isMainThread) await main();
else parentPort?.postMessage(await exposureProperty(workerData as Part));
