import { parseArgs } from "node:util";
import { PROTOCOL_MUTANTS } from "../simulation/protocol-mutants.ts";
import { named } from "../support/named.ts";
import { type Caught, type Sown, sow, WALKS, walkAll, weaken } from "./walks.ts";
import { WEAKENED } from "./weakened.ts";
import type { Answered } from "./worker.ts";

const USAGE = `Tries every interleaving of a small system: the real pass over rows in memory, one grid and two processes.
At every wait it tries each possible event, up to a number of faults per trace. Names select some of the walks.

  --moves N          faults per trace (default 2)
  --waits N          cut off each trace after N waits (default: none, except in walks that name a limit)
  --seconds N        time limit of each walk, which may then be incomplete (default 3600), or of each weakened
                     protocol (default 60)
  --weakened [NAME]  remove one part of the protocol at a time, until a trace fails; if none does, or with --seeds,
                     try 300 seeds of the simulation too
  --from N           first of these seeds (default: from the clock)
  --all              with --weakened: try the planted bugs of the simulation too`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    moves: { type: "string" },
    waits: { type: "string" },
    seconds: { type: "string" },
    weakened: { type: "boolean" },
    all: { type: "boolean" },
    from: { type: "string" },
    seeds: { type: "boolean" },
    help: { type: "boolean" },
  },
});

function printWalk({
  request,
  states,
  transitions,
  awaits,
  rests,
  cuts,
  byMoves,
  isWhole,
  seconds,
  story,
}: Answered): void {
  const whole = isWhole ? "" : story ? ", until the first violation" : ", NOT COMPLETE";
  console.log(
    `${request.setting.name}: ${states} states (${byMoves.join(" + ")} by moves), ${transitions} transitions, ${rests} complete traces,${cuts > 0 ? ` ${cuts} cut off,` : ""} the longest trace ${awaits} waits; ${story ? 1 : 0} violations in ${seconds.toFixed(1)} s${whole}`,
  );
  if (story) console.log(story.join("\n"));
}

async function walkSettings(): Promise<boolean> {
  const isBounded = values.seconds !== undefined;
  const seconds = Number(values.seconds ?? 3600);
  const chosen = named(
    WALKS.map(([setting, moves, waits]) => ({ name: setting.name, setting, moves, waits })),
    positionals,
  );
  const requests = chosen.map(({ setting, moves, waits }) => ({
    setting,
    moves: Number(values.moves ?? moves),
    waits: values.waits === undefined ? waits : Number(values.waits),
    seconds,
    of: "clock" as const,
  }));
  const all = await walkAll(requests, { threads: 2, onAnswer: printWalk });
  return all.every(({ story, isWhole }) => !story && (isWhole || isBounded));
}

/** A new number each second; it is printed, so that a run can be repeated. */
const seedsFrom = Number(values.from ?? Math.floor(Date.now() / 1000) % 900_000);

async function walkWeakened(): Promise<boolean> {
  const expected = [...WEAKENED, ...(values.all ? PROTOCOL_MUTANTS : [])];
  const chosen = named(expected, positionals);
  const seconds = Number(values.seconds ?? 60);
  let missed = 0;
  console.log(`seconds of CPU time until the first trace; seeds from --from ${seedsFrom} on`);
  for (const mutant of chosen) {
    const walked = await weaken(mutant, seconds, Number(values.moves ?? 3));
    const sown = walked.by && !values.seeds ? undefined : await sow(mutant, seedsFrom, seconds);
    if (!walked.by && sown?.seed === undefined) missed++;
    console.log(
      `${mutant.name.padEnd(65)} world ${walkedText(walked).padEnd(62)} ${sown ? sownText(sown) : ""}`,
    );
    if (walked.by?.story)
      console.log(positionals.length > 0 ? walked.by.story.join("\n") : `    ${walked.by.story.at(-1)}`);
    if (sown?.what) console.log(`    in a seed: ${sown.what}`);
  }
  console.log(`${chosen.length - missed} of ${chosen.length} detected`);
  return missed === 0;
}

const walkedText = ({ by, seconds }: Caught): string =>
  by
    ? `${seconds.toFixed(1)} s (${by.request.moves} moves: ${by.request.setting.name})`
    : `not in ${seconds.toFixed(0)} s`;

const sownText = ({ seed, seconds }: Sown): string =>
  seed === undefined
    ? `seeds not in ${seconds.toFixed(0)} s`
    : `seeds ${seconds.toFixed(1)} s (number ${seed} of them)`;

if (values.help) console.log(USAGE);
else process.exitCode = (await (values.weakened ? walkWeakened() : walkSettings())) ? 0 : 1;
