import { StoreError, VenueError } from "../../src/kernel/errors.ts";
import type { ActorAndRequest } from "../../src/model/events.ts";
import type { NewOrder } from "../../src/model/order.ts";
import { memoryStore } from "../simulation/store/store.ts";
import { copyTables } from "../simulation/store/tables.ts";
import { arrive, askStore, breaks, cancelAt, LAG, leaves, read, toExchange } from "./effects.ts";
import { execute, first } from "./exchange.ts";
import { restOf } from "./fingerprint.ts";
import { openRun, type Reported, type Requested, type Run } from "./pass.ts";
import { KEY, MARKET, TIMING } from "./setting.ts";
import type { Flight, Move, Process, State } from "./state.ts";

/** Longer than any order is waited for. */
const OUTAGE = 2 * (TIMING.leaseTtl + TIMING.expiry + TIMING.skew + TIMING.readLag);

/** Of a trade: shorter than the wait after which an order is booked from its own sums. */
const LATE = 2 * OUTAGE;

const PERSON: ActorAndRequest = { actor: "person", request: null };

type Outcome = { value: unknown } | { error: unknown };

/** The open pass of a process, taken to where it waits. */
export async function runOf(state: State, process: number): Promise<Run> {
  const known = state.runs.get(process);
  if (known) return known;
  const opened = await openRun((state.processes[process] as Process).passing, MARKET, TIMING);
  state.runs.set(process, opened);
  return opened;
}

/** Makes a move, which changes the state. */
export async function make(state: State, move: Move): Promise<void> {
  state.path = { move, before: state.path };
  switch (move.kind) {
    case "answer":
      return answer(state, move.how);
    case "switch":
    case "wake": {
      const process = move.kind === "switch" ? move.to : move.process;
      if (!state.processes[process]) return begin(state, process);
      return wake(state, process);
    }
    case "begin":
      await passTo(state, move.at);
      return begin(state, move.process);
    case "freeze":
      return freeze(state);
    case "market": {
      const order = first(state.exchange, move.side);
      state.quiet = 0;
      if (order)
        toExchange(state, execute(state.exchange, order, move.part, { now: state.now, delay: LATE }));
      return undefined;
    }
    case "person":
      return person(state, move.does);
    case "restore":
      return restore(state, move.back);
    case "outage":
      state.quiet = 0;
      state.dumbUntil = state.now + OUTAGE;
      return undefined;
    case "land": {
      const flight = state.flights[move.flight] as Flight;
      state.flights = state.flights.filter((one) => one !== flight);
      state.quiet = 0;
      return land(state, flight);
    }
  }
}

async function begin(state: State, process: number): Promise<void> {
  const passing = { process, attempt: ++state.attempts, startedAt: state.now, results: [] };
  state.processes = state.processes.map((one, i) => {
    if (i === process) return { passing };
    return one?.frozen === undefined ? one : { ...one, frozen: one.frozen + 1 };
  });
  state.runs.delete(process);
  state.running = process;
  await runOf(state, process);
}

/** Lets a process go on that waits for its answer, or is held up. */
async function wake(state: State, index: number): Promise<void> {
  const { passing, paused } = state.processes[index] as Process;
  if (paused) await passTo(state, paused.from);
  state.running = index;
  state.processes = state.processes.map((one, i) => (i === index ? { passing } : one));
  if (paused) await give(state, index, paused.result);
}

const change = (state: State, index: number, next: Process | undefined): void => {
  state.processes = state.processes.map((one, i) => (i === index ? next : one));
};

/** Tells the pass, which runs to its next question or its end. */
async function give(state: State, index: number, outcome: Outcome): Promise<void> {
  const { passing } = state.processes[index] as Process;
  const run = await runOf(state, index);
  const output: Reported = { at: state.now, ...outcome };
  await run.answer(output);
  state.awaits++;
  if (run.request())
    return change(state, index, { passing: { ...passing, results: [...passing.results, output] } });
  end(state, index);
  const rest = restOf(state);
  state.quiet = rest === state.rest && run.isDone() ? state.quiet + 1 : 0;
  state.rest = rest;
}

function end(state: State, index: number): void {
  change(state, index, undefined);
  state.runs.delete(index);
  state.running = undefined;
}

const silence = (query: Requested): Outcome => {
  if (query.kind === "store") return { error: new StoreError("unavailable", "the database did not answer") };
  if (query.kind === "read") return { error: new VenueError("unavailable", "the venue did not answer") };
  return { value: { result: "unknown", reason: "no answer" } };
};

/** What the pass waits for comes about, in one of the ways in which it may. */
async function answer(state: State, how: Extract<Move, { kind: "answer" }>["how"]): Promise<void> {
  const index = state.running as number;
  const run = await runOf(state, index);
  const query = run.request() as Requested;
  if (how !== "told") state.quiet = 0;
  if (how === "crash before") return end(state, index);
  if (how === "last moment") await passTo(state, lastMoment(state));
  const isWrite = query.kind === "create" || query.kind === "cancel";
  if (isWrite && !run.mayLeave(state.now)) return give(state, index, { value: { result: "not_sent" } });
  const { passing } = state.processes[index] as Process;
  if (query.kind === "create") leaves(state, (query.args[0] as NewOrder).clientId, passing);
  if (how === "refused") return give(state, index, { value: { result: "rejected", reason: "not now" } });
  const later = (reply: Outcome) => {
    change(state, index, { passing, paused: { from: state.now + TIMING.requestTimeout, result: reply } });
    state.running = undefined;
  };
  const isDumb = query.name === "order" && state.now < state.dumbUntil;
  if (isDumb) return give(state, index, silence(query));
  if (how === "lost") return later(silence(query));
  if (how === "late") {
    state.flights = [...state.flights, flightOf(state, query)];
    return later(silence(query));
  }
  const outcome = await effect(state, query, how === "stale" || state.setting.reads === "old" ? LAG : 0);
  if (how === "crash after") return end(state, index);
  if (how === "answer lost") return later(silence(query));
  if (how === "slow") return later(outcome);
  return give(state, index, outcome);
}

async function effect(state: State, query: Requested, age: number): Promise<Outcome> {
  if (query.kind === "store") return askStore(state, query);
  if (query.kind === "create") return { value: arrive(state, query.args[0] as NewOrder) };
  if (query.kind === "cancel") return { value: cancelAt(state, (query.args[0] as { id: string }).id) };
  return { value: read(state, query, age) };
}

/** It takes effect as late as the exchange may let it: at its expiry, by a clock that is behind. */
const flightOf = ({ now }: State, { kind, name, args }: Requested): Flight =>
  kind === "store"
    ? { kind, name, args }
    : { kind: kind as "create" | "cancel", at: now + TIMING.expiry + TIMING.skew, args };

async function land(state: State, flight: Flight): Promise<void> {
  if (flight.kind === "store") await askStore(state, flight);
  else if (flight.kind === "create") arrive(state, flight.args[0] as NewOrder);
  else cancelAt(state, (flight.args[0] as { id: string }).id);
}

/** Time passes, and what is on its way arrives in its turn. */
async function passTo(state: State, time: number): Promise<void> {
  for (;;) {
    const due = state.flights.filter((one) => one.kind !== "store" && one.at <= time);
    const next = due.reduce<Flight | undefined>(
      (least, one) => (least && at(least) <= at(one) ? least : one),
      undefined,
    );
    if (!next) break;
    state.now = Math.max(state.now, at(next));
    state.flights = state.flights.filter((one) => one !== next);
    state.quiet = 0;
    await land(state, next);
  }
  state.now = Math.max(state.now, time);
}

const at = (flight: Flight): number => (flight.kind === "store" ? Number.POSITIVE_INFINITY : flight.at);

const leaseEnd = ({ tables, now }: State): number => Math.max(now, tables.accounts.get(KEY)?.until ?? now);

/** The last millisecond at which a write may leave. */
const lastMoment = (state: State): number => Math.max(state.now, leaseEnd(state) - TIMING.requestTimeout);

/** Its machine holds the process up until another may take its lease. */
async function freeze(state: State): Promise<void> {
  const index = state.running as number;
  change(state, index, { ...(state.processes[index] as Process), frozen: 0 });
  state.running = undefined;
  state.quiet = 0;
  await passTo(state, leaseEnd(state));
}

async function person(state: State, does: Extract<Move, { kind: "person" }>["does"]): Promise<void> {
  const store = memoryStore(state.tables, () => state.now);
  state.quiet = 0;
  switch (does) {
    case "stop":
    case "stop, keeping the orders":
      return store.setWants(state.id, "stop", { keepOrders: does !== "stop", sellBase: false }, PERSON);
    case "pause":
    case "resume":
      return store.setPaused(state.id, does === "pause" ? { keepOrders: true } : null, PERSON);
    case "kill on":
    case "kill off":
      state.killedAt = does === "kill on" ? state.now : undefined;
      return store.setKill(does === "kill on", PERSON);
    case "cancel": {
      const order = first(state.exchange, "buy") ?? first(state.exchange, "sell");
      if (order) cancelAt(state, order.id);
    }
  }
}

/** Every process ends, and the rows are what they were; that it was done is told to the database. */
async function restore(state: State, back: number): Promise<void> {
  const earlier = state.earlier.at(-1 - back);
  if (!earlier) return breaks(state, "there is nothing to go back to");
  const { epoch } = state.tables;
  state.tables = { ...copyTables(earlier), epoch: Math.max(epoch, earlier.epoch) + 1 };
  state.killedAt = state.tables.kill.on ? state.now : undefined;
  state.processes = state.processes.map(() => undefined);
  state.runs.clear();
  state.running = undefined;
  // A statement of before reaches the server that is gone.
  state.flights = state.flights.filter(({ kind }) => kind !== "store");
  state.restores++;
  state.quiet = 0;
  // Whether a pass changes something is told by what was before it, which is gone.
  state.rest = "";
}
