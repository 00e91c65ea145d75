import { parseArgs } from "node:util";
import { PROTOCOL_MUTANTS } from "../simulation/protocol-mutants.ts";
import { named } from "../support/named.ts";
import { type Caught, type Sown, sow, WALKS, walkAll, weaken } from "./walks.ts";
import { WEAKENED } from "./weakened.ts";
import type { Answered } from "./worker.ts";

const USAGE = `Walks the small world: the real pass over the real rows in memory, one grid, two processes, and at every wait
everything that may happen there, up to so many moves that do not happen on a quiet day. Names walk some of them alone.

  --moves N          most such moves of one trace (default 2)
  --waits N          a trace is cut off after so many waits (default: at rest, but for walks that are named by them)
  --seconds N        of each walk, which then need not be whole (default 3600), or of each weakened protocol (default 60)
  --weakened [NAME]  the protocol without one of the things that it rests on, each in turn, until a trace shows it;
                     where none does, 300 seeds of the simulation, and with --seeds also where one does
  --from N           of these seeds the first; a number of the moment where nothing is said
  --all              of the planted bugs of the simulation as well`;

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

function tell({
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
  const whole = isWhole ? "" : story ? ", until the first" : ", NOT WHOLE";
  console.log(
    `${request.setting.name}: ${states} states (${byMoves.join(" + ")} by moves), ${transitions} transitions, ${rests} came to rest,${cuts > 0 ? ` ${cuts} were cut off,` : ""} the longest trace ${awaits} waits; ${story ? 1 : 0} violations in ${seconds.toFixed(1)} s${whole}`,
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
  const all = await walkAll(requests, { threads: 2, onAnswer: tell });
  return all.every(({ story, isWhole }) => !story && (isWhole || isBounded));
}

/** Another number each second, told so that it can be asked for again. */
const seedsFrom = Number(values.from ?? Math.floor(Date.now() / 1000) % 900_000);

async function walkWeakened(): Promise<boolean> {
  const expected = [...WEAKENED, ...(values.all ? PROTOCOL_MUTANTS : [])];
  const chosen = named(expected, positionals);
  const seconds = Number(values.seconds ?? 60);
  let missed = 0;
  console.log(`seconds of the processor until the first trace; seeds from --from ${seedsFrom} on`);
  for (const mutant of chosen) {
    const walked = await weaken(mutant, seconds, Number(values.moves ?? 3));
    const sown = walked.by && !values.seeds ? undefined : await sow(mutant, seedsFrom, seconds);
    if (!walked.by && sown?.seed === undefined) missed++;
    console.log(
      `${mutant.name.padEnd(65)} world ${tellWalked(walked).padEnd(62)} ${sown ? tellSown(sown) : ""}`,
    );
    if (walked.by?.story)
      console.log(positionals.length > 0 ? walked.by.story.join("\n") : `    ${walked.by.story.at(-1)}`);
    if (sown?.what) console.log(`    in a seed: ${sown.what}`);
  }
  console.log(`${chosen.length - missed} of ${chosen.length} shown`);
  return missed === 0;
}

const tellWalked = ({ by, seconds }: Caught): string =>
  by
    ? `${seconds.toFixed(1)} s (${by.request.moves} moves: ${by.request.setting.name})`
    : `not in ${seconds.toFixed(0)} s`;

const tellSown = ({ seed, seconds }: Sown): string =>
  seed === undefined
    ? `seeds not in ${seconds.toFixed(0)} s`
    : `seeds ${seconds.toFixed(1)} s (number ${seed} of them)`;

if (values.help) console.log(USAGE);
else process.exitCode = (await (values.weakened ? walkWeakened() : walkSettings())) ? 0 : 1;
