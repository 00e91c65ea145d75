import { choicesOf } from "./choices.ts";
import { breaks } from "./effects.ts";
import { fingerprint } from "./fingerprint.ts";
import { make } from "./moves.ts";
import { atRest } from "./rest.ts";
import type { Setting } from "./setting.ts";
import { copyOf, firstOf, type Move, type Path, type State } from "./state.ts";

export interface Limits {
  /** Most moves of one trace that do not happen on a quiet day. */
  readonly moves: number;
  /** Ends the walk, which is not whole then. */
  readonly until?: () => boolean;
}

export interface Walk {
  readonly states: number;
  readonly transitions: number;
  /** Of the longest trace. */
  readonly awaits: number;
  /** Traces that came to rest: nothing was left to happen. */
  readonly rests: number;
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
const LONGEST = 1500;

interface Work {
  readonly from: State;
  readonly move: Move;
  readonly cost: number;
}

/** Walks every state within so many moves of a quiet day, fewest first, until one breaks what has to hold. */
export async function explore(setting: Setting, { moves, until = () => false }: Limits): Promise<Walk> {
  const known = new Map<number, number>();
  const byMoves = Array.from({ length: moves + 1 }, () => 0);
  const tally = { transitions: 0, awaits: 0, rests: 0 };
  const levels: Work[][] = Array.from({ length: moves + 1 }, () => []);
  let found: Found | undefined;
  let isWhole = true;
  let quiet: readonly Move[] = [];

  /** On from here as on a quiet day, leaving what else may happen for later. */
  async function goOn(state: State): Promise<void> {
    for (;;) {
      tally.transitions++;
      tally.awaits = Math.max(tally.awaits, state.awaits);
      if (state.awaits > LONGEST) breaks(state, "it does not come to rest");
      if (state.broken.length > 0) return tell(state);
      const key = fingerprint(state);
      const before = known.get(key);
      if (before !== undefined && before <= state.cost) return;
      if (before === undefined) byMoves[state.cost] = (byMoves[state.cost] ?? 0) + 1;
      known.set(key, state.cost);
      const { next, others } = await choicesOf(state);
      const from = others.length > 0 ? copyOf(state) : state;
      for (const { move, cost } of others) {
        const sum = state.cost + cost;
        if (sum <= moves) levels[sum]?.push({ from, move, cost: sum });
      }
      if (!next) {
        tally.rests++;
        if (tally.rests === 1) quiet = movesOf(state.path);
        state.broken = atRest(state);
        if (state.broken.length > 0) tell(state);
        return;
      }
      await make(state, next);
    }
  }

  const tell = ({ broken, path }: State) => {
    found ??= { what: broken, path: movesOf(path) };
  };

  await goOn(await firstOf(setting));
  for (let level = 0; level <= moves && !found; level++) {
    const works = levels[level] as Work[];
    for (let i = 0; i < works.length && !found; i++) {
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
  return { ...tally, states: known.size, byMoves, isWhole: isWhole && !found, found, quiet };
}

function movesOf(path: Path | undefined): Move[] {
  const moves: Move[] = [];
  for (let one = path; one; one = one.before) moves.push(one.move);
  return moves.reverse();
}
