import { first, isResting, type Part } from "./exchange.ts";
import { runOf } from "./moves.ts";
import type { Requested } from "./pass.ts";
import { KEY, type Setting, TIMING, UNIT } from "./setting.ts";
import { type Answer, type Move, type Person, PROCESSES, type State, strategyOf } from "./state.ts";

export interface Choice {
  readonly move: Move;
  /** 1 for what does not happen on a quiet day. */
  readonly cost: 0 | 1;
}

/** What happens next on a quiet day, undefined where nothing does any more, and everything else that may. */
export async function choicesOf(
  state: State,
): Promise<{ readonly next: Move | undefined; readonly others: Choice[] }> {
  const { running } = state;
  const beside = besides(state);
  if (running === undefined) {
    const { next, free } = idle(state);
    const early = earlyPass(state).map((move) => ({ move, cost: 1 as const }));
    return { next, others: [...free.map((move) => ({ move, cost: 0 as const })), ...early, ...beside] };
  }
  const request = (await runOf(state, running)).request() as Requested;
  return {
    next: { kind: "answer", how: "told" },
    others: [...interruptions(request, state, running), ...beside],
  };
}

/** What may come between a question and its answer. */
function interruptions(request: Requested, state: State, running: number): Choice[] {
  const { answers, delays } = MENUS[state.setting.menu];
  const moves: Move[] = answers(request, state).map((how): Move => ({ kind: "answer", how }));
  if (delays(request) !== "none") moves.push({ kind: "freeze" });
  if (delays(request) === "both")
    for (let to = 0; to < PROCESSES; to++) if (to !== running) moves.push({ kind: "switch", to });
  return moves.map((move) => ({ move, cost: 1 }));
}

/** What may happen at any moment. */
function besides(state: State): Choice[] {
  const { beside, parts } = MENUS[state.setting.menu];
  const sides = (["buy", "sell"] as const).filter((side) => first(state.exchange, side));
  const markets = sides.flatMap((side) => parts.map((part): Move => ({ kind: "market", side, part })));
  const landings = state.flights.flatMap((one, flight): Choice[] =>
    one.kind === "store" ? [{ move: { kind: "land", flight }, cost: 0 }] : [],
  );
  return [...[...markets, ...beside(state)].map((move): Choice => ({ move, cost: 1 })), ...landings];
}

/** No pass is going on: a process goes on that waits, or time passes until the next pass. */
function idle(state: State): { readonly next: Move | undefined; readonly free: Move[] } {
  const { processes, now } = state;
  const paused = processes.findIndex((one) => one?.paused && one.frozen === undefined);
  const frozen = processes.findIndex((one) => one && (one.paused === undefined || one.frozen !== undefined));
  const free = processes.indexOf(undefined);
  const time = free < 0 ? undefined : nextPass(state);
  const begin: Move | undefined = time === undefined ? undefined : { kind: "begin", process: free, at: time };
  if (paused >= 0)
    return { next: { kind: "wake", process: paused }, free: begin && time === now ? [begin] : [] };
  if (frozen < 0) return { next: begin, free: [] };
  const wake: Move = { kind: "wake", process: frozen };
  const isFirst = processes[frozen]?.frozen === 0;
  return isFirst && begin ? { next: begin, free: [wake] } : { next: wake, free: begin ? [begin] : [] };
}

/** A pass that begins now although none is due. */
function earlyPass(state: State): Move[] {
  const free = state.processes.indexOf(undefined);
  const isDue = nextPass(state) === state.now;
  if (!MENUS[state.setting.menu].isEarly || free < 0 || isDue) return [];
  return [{ kind: "begin", process: free, at: state.now }];
}

/** When the next pass begins; undefined where passes change nothing any more and nothing is waited for. */
function nextPass(state: State): number | undefined {
  const { now, tables, quiet } = state;
  const { until = 0, retryAt = 0 } = tables.accounts.get(KEY) ?? {};
  const earliest = Math.max(now, until, retryAt);
  if (quiet === 0) return Math.max(earliest, state.awaits === 0 ? now : now + UNIT);
  const due = deadlines(state).filter((time) => time > now);
  if (due.length > 0) return Math.max(earliest, Math.min(...due));
  return quiet < 2 ? Math.max(earliest, now + UNIT) : undefined;
}

function deadlines({ tables, exchange, flights, past, now, dumbUntil }: State): number[] {
  const times: number[] = [];
  const resting = new Set(exchange.orders.filter(isResting).map(({ clientId }) => clientId));
  for (const id of tables.unsettled) {
    const order = tables.orders.get(id);
    const isOpen = order?.state === "open" || order?.state === "partially_filled";
    if (!order || (isOpen && resting.has(id))) continue;
    // A grid that waits for an order goes on being stepped.
    times.push(order.notAfter + TIMING.readLag, now + 2 * UNIT);
    if (order.missedAt !== null) times.push(order.missedAt + TIMING.secondMiss);
  }
  for (const { state } of tables.strategies.values())
    times.push(state.recoversUntil, state.releaseAt ?? 0, ...state.slots.map(({ retryAt }) => retryAt));
  for (const flight of flights) if (flight.kind !== "store") times.push(flight.at);
  for (const { at } of past) times.push(at + TIMING.readLag);
  for (const { shownAt } of exchange.executions) times.push(shownAt + TIMING.readLag);
  times.push(dumbUntil);
  return times;
}

/**
 * What of everything that may happen does happen in a setting: the less of it, the more of it one trace may have. None
 * of them is made for a part of the protocol that is left out: each is what one kind of trouble consists of.
 */
interface Menu {
  /** In which ways a question may be answered beside the usual one. */
  readonly answers: (request: Requested, state: State) => readonly Answer[];
  /** Whether its machine holds the process up there, and whether the other one runs in its place. */
  readonly delays: (request: Requested) => "none" | "freeze" | "both";
  /** How much of an order the market may take at once. */
  readonly parts: readonly Part[];
  /** Whether a pass can begin at any moment, and not only when it is due. */
  readonly isEarly?: boolean;
  /** What else happens, whatever a process is about. */
  readonly beside: (state: State) => readonly Move[];
}

const nothing = () => [];
const isWrite = ({ kind, name }: Requested): boolean =>
  kind === "create" || name === "record" || name === "settle";

const WRITES: readonly Answer[] = [
  "lost",
  "answer lost",
  "late",
  "refused",
  "last moment",
  "slow",
  "crash before",
  "crash after",
];

export const MENUS: Readonly<Record<Setting["menu"], Menu>> = {
  all: {
    answers: answersTo,
    delays: () => "both",
    parts: ["whole", "half"],
    beside: (state) => [...people(state), ...restores(state), ...outage(state)],
  },
  /** What befalls orders. */
  orders: {
    answers: (request, state) => (isWrite(request) ? answersTo(request, state) : []),
    delays: (request) => (isWrite(request) ? "freeze" : "none"),
    parts: ["whole"],
    beside: outage,
  },
  /** How executions are told. */
  trades: { answers: nothing, delays: () => "none", parts: ["whole", "half", "late"], beside: outage },
  /** What people do, while answers take their time. */
  people: { answers: () => ["slow"], delays: () => "freeze", parts: [], beside: people },
  /** The two processes in each other's way. */
  processes: { answers: nothing, delays: () => "both", parts: [], beside: nothing },
  /** Messages of the exchange that start passes early, while executions are told late. */
  hints: {
    answers: nothing,
    delays: () => "none",
    parts: ["whole", "late"],
    beside: nothing,
    isEarly: true,
  },
  /** Orders that nobody has heard of again, and looks at them that fail. */
  silence: {
    answers: ({ kind }) => (kind === "create" ? ["answer lost", "late"] : []),
    delays: () => "none",
    parts: ["whole"],
    beside: outage,
  },
  /** A database put back while orders are on their way, rest or are cancelled. */
  restores: {
    answers: ({ kind }) => (kind === "create" ? ["late"] : []),
    delays: () => "none",
    parts: [],
    beside: (state) => [
      ...restores(state),
      ...people(state).filter((one) => one.kind === "person" && one.does === "cancel"),
    ],
  },
};

function answersTo({ kind, name }: Requested, { setting }: State): readonly Answer[] {
  if (kind === "create") return WRITES;
  if (kind === "cancel") return WRITES.filter((how) => how !== "last moment" && how !== "refused");
  if (kind === "read") {
    const isOld = name === "ticker" || setting.reads === "old";
    return isOld ? ["lost", "slow", "crash before"] : ["lost", "slow", "stale", "crash before"];
  }
  if (name === "killed" || name === "ordersByIds") return ["lost", "slow", "crash before"];
  return ["lost", "answer lost", "late", "slow", "crash before", "crash after"];
}

function outage({ now, dumbUntil }: State): Move[] {
  return now < dumbUntil ? [] : [{ kind: "outage" }];
}

function restores({ restores: done, earlier }: State): Move[] {
  return (done > 0 ? [] : earlier).map((_, back): Move => ({ kind: "restore", back }));
}

function people(state: State): Move[] {
  return peopleMay(state).map((does): Move => ({ kind: "person", does }));
}

function peopleMay(state: State): Person[] {
  const { wants, status, keepOrders } = strategyOf(state);
  const { kill } = state.tables;
  if (status === "stopped") return [];
  const isResting = first(state.exchange, "buy") ?? first(state.exchange, "sell");
  return [
    ...(wants === "stop" && !keepOrders ? [] : (["stop"] as const)),
    ...(wants === "stop" ? [] : (["stop, keeping the orders"] as const)),
    ...(wants === "run" ? (["pause"] as const) : []),
    ...(wants === "pause" ? (["resume"] as const) : []),
    kill.on ? "kill off" : "kill on",
    ...(isResting ? (["cancel"] as const) : []),
  ];
}
