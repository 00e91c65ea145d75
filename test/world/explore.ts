import { choicesOf } from "./choices.ts";
import { breaks } from "./effects.ts";
import { fingerprint, fingerprintOnward } from "./fingerprint.ts";
import { type Known, knownHere, type Met, type Turns } from "./known.ts";
import { make } from "./moves.ts";
import { atRest } from "./rest.ts";
import type { Setting } from "./setting.ts";
import { copyOf, firstOf, type Move, type Path, type State } from "./state.ts";

export interface Limits {
  /** Most moves of one trace that do not happen on a quiet day. */
  readonly moves: number;
  /** After how many waits a trace is cut off; none is where nothing is said. */
  readonly waits?: number;
  /** Ends the walk, which is not whole then. */
  readonly until?: () => boolean;
  /** Sees each state with what tells it from others, and whether one that counts as the same was walked before. */
  readonly watch?: Watch;
  /** Where other threads walk the same world: each walks all but the last moves, and of these those that it takes. */
  readonly team?: Team;
}

export interface Team extends Turns {
  readonly known: Known;
  /** One counts what each of them walks. */
  readonly isFirst: boolean;
}

export type Watch = (observed: {
  readonly key: number;
  readonly state: State;
  readonly isLast: boolean;
  readonly isKnown: boolean;
}) => Promise<void>;

export interface Walk {
  readonly states: number;
  readonly transitions: number;
  /** Of the longest trace. */
  readonly awaits: number;
  /** Traces that came to rest: nothing was left to happen. */
  readonly rests: number;
  /** States in which traces were cut off. */
  readonly cuts: number;
  /** By how many such moves a state lies from a quiet day. */
  readonly byMoves: readonly number[];
  readonly isWhole: boolean;
  readonly found: Found | undefined;
  readonly quiet: readonly Move[];
}

export interface Found {
  readonly what: readonly string[];
  readonly path: readonly Move[];
}

/** A world in which nothing goes wrong any more has come to rest long before: with two executions that show late, after 603. */
const MAX_EXPLORED_STEPS = 1500;

interface Work {
  readonly from: State;
  readonly move: Move;
  readonly cost: number;
}

/** Walks every state within so many moves of a quiet day, fewest first, until one breaks what has to hold. */
export async function explore(setting: Setting, limits: Limits): Promise<Walk> {
  const { moves, until = () => false, team } = limits;
  const levels: Work[][] = Array.from({ length: moves + 1 }, () => []);
  const { goOn, tally } = walking(limits, (work) => levels[work.cost]?.push(work));
  let isWhole = true;
  await goOn(await firstOf(setting));
  for (const [level, works] of levels.entries()) {
    // Nearest first, so that few states are walked again because they are reached after fewer waits.
    if (limits.waits !== undefined) works.sort((one, other) => one.from.awaits - other.from.awaits);
    for (const i of turns(works, team && level === moves ? team.take : counter())) {
      if (tally.found || team?.isFound()) break;
      if (until()) {
        isWhole = false;
        break;
      }
      const { from, move, cost } = works[i] as Work;
      // What has been walked is let go.
      delete works[i];
      const state = copyOf(from);
      state.cost = cost;
      await make(state, move);
      await goOn(state);
    }
  }
  if (tally.found) team?.tellFound();
  const states = tally.byMoves.reduce((sum, count) => sum + count, 0);
  return { ...tally, states, isWhole: isWhole && !tally.found };
}

/** Which of the works comes next: those that were there are taken in turns, and what comes of one is its own thread's. */
function* turns(works: readonly Work[], take: () => number): Generator<number> {
  const shared = works.length;
  let own = shared;
  for (let i = take(); i < shared; i = take()) {
    yield i;
    for (; own < works.length; own++) yield own;
  }
}

function counter(): () => number {
  let count = 0;
  return () => count++;
}

/** Goes on from a state as on a quiet day, leaving what else may happen for later. */
function walking({ moves, waits, watch, team }: Limits, later: (work: Work) => void) {
  const known = knownHere();
  // Walked with what is usual alone, or with more.
  const onward = team?.known ?? knownHere();
  const byMoves = Array.from({ length: moves + 1 }, () => 0);
  const tally = {
    transitions: 0,
    awaits: 0,
    rests: 0,
    cuts: 0,
    byMoves,
    quiet: [] as readonly Move[],
    found: undefined as Found | undefined,
  };
  const tell = ({ broken, path }: State) => {
    tally.found ??= { what: broken, path: movesOf(path) };
  };

  /**
   * Whether it was reached before, after no more waits where that matters: fewest moves come first, so what is known
   * was reached with no more of them.
   */
  async function meet(state: State): Promise<Met> {
    const isLast = state.cost === moves;
    const after = waits === undefined ? 0 : state.awaits;
    const key = isLast ? fingerprintOnward(state) : fingerprint(state);
    const met = (isLast ? onward : known).meet(key, after);
    await watch?.({ key, state, isLast, isKnown: met === "known" });
    if (met !== "known" && !isLast) onward.meet(fingerprintOnward(state), after);
    return met;
  }

  async function goOn(state: State): Promise<void> {
    // Of what each thread walks, one counts.
    const counts = state.cost === moves || !team || team.isFirst ? 1 : 0;
    for (;;) {
      tally.transitions += counts;
      tally.awaits = Math.max(tally.awaits, state.awaits);
      if (state.awaits > MAX_EXPLORED_STEPS) breaks(state, "it does not come to rest");
      if (state.broken.length > 0) return tell(state);
      const met = await meet(state);
      if (met === "known") return;
      if (met === "new") byMoves[state.cost] = (byMoves[state.cost] ?? 0) + counts;
      const { next, others } = await choicesOf(state);
      if (next && waits !== undefined && state.awaits >= waits) {
        tally.cuts += counts;
        return;
      }
      const from = others.length > 0 ? copyOf(state) : state;
      for (const { move, cost } of others)
        if (state.cost + cost <= moves) later({ from, move, cost: state.cost + cost });
      if (!next) {
        if (met === "new") tally.rests += counts;
        if (tally.quiet.length === 0) tally.quiet = movesOf(state.path);
        state.broken = atRest(state);
        if (state.broken.length > 0) tell(state);
        return;
      }
      await make(state, next);
    }
  }
  return { goOn, tally };
}

function movesOf(path: Path | undefined): Move[] {
  const moves: Move[] = [];
  for (let one = path; one; one = one.before) moves.push(one.move);
  return moves.reverse();
}
