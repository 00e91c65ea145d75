import { first, type Part } from "./exchange.ts";
import type { Requested } from "./pass.ts";
import type { Setting } from "./setting.ts";
import { type Answer, type Move, type Person, type State, strategyOf } from "./state.ts";

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
