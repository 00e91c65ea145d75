import { copyTables, type Tables } from "../simulation/store/tables.ts";
import type { Exchange, Part } from "./exchange.ts";
import type { Passing, Run } from "./pass.ts";
import { firstExchange, firstTables, type Setting, START } from "./setting.ts";

/** A request that is on its way: what it asks for happens when it arrives. */
export type Flight =
  /** Its client has given it up; it arrives at the last moment at which the exchange may take it. */
  | { readonly kind: "create" | "cancel"; readonly at: number; readonly args: readonly unknown[] }
  /** A statement that the database carries out whenever it likes. */
  | { readonly kind: "store"; readonly name: string; readonly args: readonly unknown[] };

/** A process in the middle of a pass. */
export interface Process {
  readonly passing: Passing;
  /** What it will be told, and from when. */
  readonly paused?: { readonly from: number; readonly result: { value: unknown } | { error: unknown } };
  /** It is held up by its machine; others have begun this many passes since. */
  readonly frozen?: number;
}

/** The world between two moves. A state that waits is never changed: whoever goes on from it works on a copy. */
export interface State {
  readonly setting: Setting;
  readonly id: string;
  now: number;
  tables: Tables;
  exchange: Exchange;
  /** The exchange as it was, oldest first, for reads that are old. */
  past: readonly { readonly at: number; readonly exchange: Exchange }[];
  flights: readonly Flight[];
  processes: readonly (Process | undefined)[];
  running: number | undefined;
  attempts: number;
  /** Rows as they were before the last writes: for replicas, and for a database that is put back. */
  earlier: readonly Tables[];
  restores: number;
  killedAt: number | undefined;
  /** Until when the exchange answers no look at one order. */
  dumbUntil: number;
  /** Client ids that ever had a row. */
  recorded: ReadonlySet<string>;
  /** Passes in a row that changed nothing, and what they left as it was. */
  quiet: number;
  rest: string;
  /** Moves that are not what happens on a quiet day. */
  cost: number;
  awaits: number;
  path: Path | undefined;
  broken: readonly string[];
  /** Passes that are open here, and in no copy. */
  readonly runs: Map<number, Run>;
}

/** How a state was reached, newest move first. */
export interface Path {
  readonly move: Move;
  readonly before: Path | undefined;
}

export type Answer =
  | "told"
  | "lost"
  | "answer lost"
  | "late"
  | "slow"
  | "stale"
  | "refused"
  | "last moment"
  | "crash before"
  | "crash after";

export type Person =
  | "stop"
  | "stop, keeping the orders"
  | "pause"
  | "resume"
  | "kill on"
  | "kill off"
  | "cancel";

export type Move =
  | { readonly kind: "answer"; readonly how: Answer }
  | { readonly kind: "switch"; readonly to: number }
  | { readonly kind: "freeze" }
  | { readonly kind: "wake"; readonly process: number }
  | { readonly kind: "begin"; readonly process: number; readonly at: number }
  | { readonly kind: "market"; readonly side: "buy" | "sell"; readonly part: Part }
  | { readonly kind: "person"; readonly does: Person }
  | { readonly kind: "restore"; readonly back: number }
  | { readonly kind: "land"; readonly flight: number }
  /** The exchange answers no look at one order for a while, and everything else. */
  | { readonly kind: "outage" };

export const PROCESSES = 2;

export async function firstOf(setting: Setting): Promise<State> {
  const exchange = firstExchange();
  const { tables, id } = await firstTables(setting, exchange);
  return {
    setting,
    id,
    now: START,
    tables,
    exchange,
    past: [{ at: Number.NEGATIVE_INFINITY, exchange }],
    flights: [],
    processes: Array.from({ length: PROCESSES }, () => undefined),
    running: undefined,
    attempts: 0,
    earlier: [],
    restores: 0,
    killedAt: undefined,
    dumbUntil: 0,
    recorded: new Set(),
    quiet: 0,
    rest: "",
    cost: 0,
    awaits: 0,
    path: undefined,
    broken: [],
    runs: new Map(),
  };
}

export function copyOf(state: State): State {
  return { ...state, tables: copyTables(state.tables), runs: new Map() };
}

export const strategyOf = ({ tables, id }: State) => {
  const found = tables.strategies.get(id);
  if (!found) throw new Error("the world's grid has no row");
  return found;
};
