import { bundleSeeds, runRange } from "./build.ts";
import { MUTANTS } from "./mutants.ts";
import { simulate } from "./run.ts";

const args = process.argv.slice(2);
const option = (name: string, fallback: number): number => {
  const place = args.indexOf(`--${name}`);
  return place < 0 ? fallback : Number(args[place + 1]);
};
const ticks = option("ticks", 200);
if (args.includes("--mutants")) {
  const only = args[args.indexOf("--mutants") + 1];
  const list = MUTANTS.filter(({ name }) => !only || only.startsWith("--") || name.includes(only));
  const queue = [...list];
  const work = async () => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      try {
        const script = await bundleSeeds(mutant);
        const t = performance.now();
        const tally = await runRange(script, {
          from: 0,
          count: option("count", 400),
          ticks,
          untilFirst: true,
        });
        console.log(
          tally.failed.length ? "caught" : "MISSED",
          mutant.name,
          tally.seeds,
          tally.failed[0]?.what ?? "",
          Math.round(performance.now() - t),
        );
      } catch (error) {
        console.log("ERROR", mutant.name, String(error));
      }
    }
  };
  await Promise.all([work(), work()]);
} else if (args.includes("--seed")) {
  const result = await simulate({
    seed: option("seed", 0),
    ticks,
    keep: true,
    mirrored: args.includes("--libsql"),
  });
  for (const line of result.lines) console.log(line);
  console.log(result.violations, result.passes);
} else {
  const script = await bundleSeeds();
  const t = performance.now();
  const from = option("from", 0);
  const half = option("count", 50) / 2;
  const tallies = await Promise.all(
    [0, 1].map((part) =>
      runRange(script, { from: from + part * half, count: half, ticks, untilFirst: false }),
    ),
  );
  for (const { failed } of tallies) for (const one of failed) console.log(one.seed, one.what);
  const sum = (f: (x: (typeof tallies)[number]) => number) => tallies.reduce((a, b) => a + f(b), 0);
  const seconds = (performance.now() - t) / 1000;
  console.log({
    seeds: sum((x) => x.seeds),
    passes: sum((x) => x.passes),
    orders: sum((x) => x.orders),
    fills: sum((x) => x.fills),
    seconds,
  });
}
