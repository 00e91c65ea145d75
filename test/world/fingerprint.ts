import type { Tables } from "../simulation/store/tables.ts";
import type { Exchange } from "./exchange.ts";
import { KEY, START, TIMING } from "./setting.ts";
import type { State } from "./state.ts";

/*
 * What tells two states apart. Records are immutable, so each is written down once. Times count from now, and leases
 * from the newest, so that a world that has come back to where it was an hour ago is not walked again.
 */

interface Written {
  /** The same in each thread. */
  readonly text: string;
  readonly times: readonly number[];
  readonly tokens: readonly number[];
}

/** Of no consequence for what follows, in a world where trades are read in every pass. */
const UNTOLD = new Set([
  "number",
  "startedAt",
  "laidAt",
  "createdAt",
  "steppedAt",
  "seenAt",
  "tradesAt",
  "endedAt",
  "at",
  "owner",
  "events",
]);

const written = new WeakMap<object, Written>();
function write(value: object): Written {
  const known = written.get(value);
  if (known) return known;
  const times: number[] = [];
  const tokens: number[] = [];
  const made = { text: hash(textOf(value, times, tokens)).toString(36), times, tokens };
  written.set(value, made);
  return made;
}

function textOf(value: object, times: number[], tokens: number[]): string {
  if (value instanceof Error) return `!${value.message}`;
  if (value instanceof Set) return `{${[...value].join()}}`;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const parts = entries.map(([key, one]) => {
    if (UNTOLD.has(key)) return "";
    if (key === "token" && typeof one === "number") {
      tokens.push(one);
      return "token";
    }
    return `${Array.isArray(value) ? "" : key}:${partOf(one, times, tokens)}`;
  });
  return parts.join(",");
}

function partOf(one: unknown, times: number[], tokens: number[]): string {
  if (typeof one === "number" && one > START - 1e9) {
    times.push(one);
    return "time";
  }
  if (typeof one !== "object" || one === null) return typeof one === "function" ? "" : String(one);
  const nested = write(one);
  times.push(...nested.times);
  tokens.push(...nested.tokens);
  return `#${nested.text}`;
}

/** Farther back than any bound reaches, a time is only long ago. */
const LONG_AGO = -(TIMING.leaseTtl + TIMING.expiry + TIMING.skew + TIMING.readLag + 2 * TIMING.secondMiss);

interface Line {
  readonly now: number;
  readonly token: number;
}

function line({ text, times, tokens }: Written, { now, token }: Line): string {
  const ago = times.map((time) => Math.max(LONG_AGO, time - now));
  return `${text}(${ago.join()})${tokens.map((one) => token - one).join()}`;
}

function tablesLine(tables: Tables, when: Line): string {
  const { orders, unsettled, strategies, fills, cursors, kill, epoch, accounts } = tables;
  const rows = [...orders.values(), ...strategies.values()].map((row) => line(write(row), when));
  const { token: _token, owner: _owner, until = 0, ...rest } = accounts.get(KEY) ?? {};
  const account = `${Math.max(-1, until - when.now)} ${line(write({ ...rest }), when)}`;
  return [...rows, ...unsettled, ...fills.keys(), ...cursors.keys(), kill.on, epoch, account].join(";");
}

/** Two 26-bit hashes of one text, as one number. */
function hash(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (b >>> 6) * 0x4000000 + (a >>> 6);
}

/** What tells two states apart as long as something unusual may still happen in them. */
export function fingerprint(state: State): number {
  const { restores, recorded, earlier } = state;
  const when = whenOf(state);
  return hash(
    [
      onwardLine(state, when),
      // An old read shows it, and a database put back is what it was.
      ...shownBefore(state).map((one) => write(one.exchange).text),
      restores > 0 ? recorded.size : earlier.map((tables) => tablesLine(tables, when)).join("/"),
    ].join("|"),
  );
}

/** What tells two states apart in which only what is usual happens any more: nothing that is past comes back. */
export const fingerprintOnward = (state: State): number => hash(onwardLine(state, whenOf(state)));

const whenOf = ({ now, tables }: State): Line => ({ now, token: tables.accounts.get(KEY)?.token ?? 0 });

/** The exchange as old reads still show it, each until when it was so. */
function shownBefore({ past, now }: State): { readonly exchange: Exchange; readonly until: number }[] {
  return past.flatMap(({ exchange }, i) => {
    const until = past[i + 1]?.at;
    return until !== undefined && until > now - TIMING.readLag ? [{ exchange, until }] : [];
  });
}

function onwardLine(state: State, when: Line): string {
  const { now, tables, exchange, flights, processes, running, restores, recorded, setting } = state;
  const seen = shownBefore(state).map(
    (one) => `${one.until - now}:${setting.reads === "old" ? write(one.exchange).text : ""}`,
  );
  const parts = [
    tablesLine(tables, when),
    line(write(exchange), when),
    ...seen,
    ...flights.map(
      (one) => `${one.kind === "store" ? "" : one.at - now}${line(write(one.args[0] as object), when)}`,
    ),
    ...processes.map((one) =>
      one
        ? [
            one.passing.startedAt - now,
            ...one.passing.told.map(
              (told) => `${told.at - now}${valueLine("error" in told ? told.error : told.value, when)}`,
            ),
            one.held &&
              `${one.held.from - now}${valueLine("error" in one.held.told ? one.held.told.error : one.held.told.value, when)}`,
            one.frozen,
          ].join()
        : "idle",
    ),
    running,
    Math.max(0, state.dumbUntil - now),
    state.killedAt === undefined ? "" : Math.max(LONG_AGO, state.killedAt - now),
    restores,
    restores > 0 ? recorded.size : "",
    // When the next pass begins, and whether there is one.
    Math.min(2, state.quiet),
    restOf(state) === state.rest,
  ];
  return parts.join("|");
}

const valueLine = (value: unknown, when: Line): string =>
  typeof value === "object" && value !== null ? line(write(value), when) : String(value);

/** What a pass may change, whenever it does. */
export function restOf({ tables, exchange }: State): string {
  const { orders, strategies, fills, unsettled, accounts } = tables;
  const { memory, failures } = accounts.get(KEY) ?? {};
  const rows = [...orders.values(), ...strategies.values()].map((row) => write(row).text);
  return [...rows, ...unsettled, ...fills.keys(), failures, memory?.turn, write(exchange).text].join();
}
