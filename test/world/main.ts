import { parseArgs } from "node:util";
import { PROTOCOL_MUTANTS } from "../simulation/protocol-mutants.ts";
import { WALKS, walkAll, weaken } from "./walks.ts";
import { WEAKENED } from "./weakened.ts";
import type { Answered } from "./worker.ts";

const USAGE = `Walks the small world: the real pass over the real rows in memory, one grid, two processes, and at every wait
everything that may happen there, up to so many moves that do not happen on a quiet day.

  --moves N          most such moves of one trace (default 2)
  --seconds N        of each walk, which then need not be whole (default 3600), or of each weakened protocol (default 60)
  --weakened [NAME]  the protocol without one of the things that it rests on, each in turn, until a trace shows it
  --all              of the planted bugs of the simulation as well`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    moves: { type: "string" },
    seconds: { type: "string" },
    weakened: { type: "boolean" },
    all: { type: "boolean" },
    help: { type: "boolean" },
  },
});

function tell({
  asked,
  states,
  transitions,
  awaits,
  rests,
  byMoves,
  isWhole,
  seconds,
  story,
}: Answered): void {
  const whole = isWhole ? "" : story ? ", until the first" : ", NOT WHOLE";
  console.log(
    `${asked.setting.name}: ${states} states (${byMoves.join(" + ")} by moves), ${transitions} transitions, ${rests} came to rest, the longest trace ${awaits} waits; ${story ? 1 : 0} violations in ${seconds.toFixed(1)} s${whole}`,
  );
  if (story) console.log(story.join("\n"));
}

async function walkSettings(): Promise<boolean> {
  const isBounded = values.seconds !== undefined;
  const seconds = Number(values.seconds ?? 3600);
  const asked = WALKS.map(([setting, all]) => ({ setting, moves: Number(values.moves ?? all), seconds }));
  const all = await walkAll(asked, { workers: 2, told: tell });
  return all.every(({ story, isWhole }) => !story && (isWhole || isBounded));
}

async function walkWeakened(): Promise<boolean> {
  const wanted = [...WEAKENED, ...(values.all ? PROTOCOL_MUTANTS : [])];
  const chosen = wanted.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  let missed = 0;
  for (const mutant of chosen) {
    const { by, seconds } = await weaken(mutant, Number(values.seconds ?? 60), Number(values.moves ?? 3));
    if (!by) missed++;
    const how = by
      ? `${seconds.toFixed(1).padStart(5)} s  ${by.asked.moves} moves, ${by.states} states, ${by.asked.setting.name}`
      : `not in ${seconds.toFixed(1)} s`;
    console.log(`${mutant.name.padEnd(52)} ${how}`);
    if (by?.story) console.log(positionals.length > 0 ? by.story.join("\n") : `    ${by.story.at(-1)}`);
  }
  return missed === 0;
}

if (values.help) console.log(USAGE);
else process.exitCode = (await (values.weakened ? walkWeakened() : walkSettings())) ? 0 : 1;
