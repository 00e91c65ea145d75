import { clientOrderId, parseClientOrderId, strategyTag } from "../../src/kernel/ids.ts";
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
  /** Client ids, and what is compared with them. */
  readonly ids: readonly string[];
}

/** Of no consequence for what follows, in a world where trades are read in every pass. */
const UNREPORTED = new Set([
  "number",
  "startedAt",
  "laidAt",
  "createdAt",
  "steppedAt",
  "observedAt",
  "tradesAt",
  "endedAt",
  "at",
  "owner",
  "events",
  // No pass begins before the serials of the last one are in the past.
  "serial",
]);

const CLIENT_ID = /em[0-9a-z]{16}/g;
const TAG = strategyTag(START);

const written = new WeakMap<object, Written>();
function write(value: object): Written {
  const known = written.get(value);
  if (known) return known;
  const times: number[] = [];
  const tokens: number[] = [];
  const ids: string[] = [];
  const made = { text: hash(textOf(value, { times, tokens, ids })).toString(36), times, tokens, ids };
  written.set(value, made);
  return made;
}

interface Apart {
  readonly times: number[];
  readonly tokens: number[];
  readonly ids: string[];
}

function textOf(value: object, apart: Apart): string {
  if (value instanceof Error) return `!${withoutIds(value.message, apart)}`;
  if (value instanceof Set) return `{${withoutIds([...value].join(), apart)}}`;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const parts = entries.map(([key, one]) => {
    if (UNREPORTED.has(key)) return "";
    if (key === "token" && typeof one === "number") {
      apart.tokens.push(one);
      return "token";
    }
    if (key === "epochSerial") {
      apart.ids.push(clientOrderId({ tag: TAG, generation: 255, slot: 1023, serial: Number(one) }));
      return "epochSerial";
    }
    const name = Array.isArray(value) ? "" : withoutIds(String(key), apart);
    return `${name}:${partOf(one, apart)}`;
  });
  return parts.join(",");
}

function withoutIds(text: string, { ids }: Apart): string {
  return text.replace(CLIENT_ID, (id) => {
    ids.push(id);
    const key = parseClientOrderId(id);
    return `id ${key?.generation} ${key?.slot}`;
  });
}

function partOf(one: unknown, apart: Apart): string {
  if (typeof one === "number" && one > START - 1e9) {
    apart.times.push(one);
    return "time";
  }
  if (typeof one === "string") return withoutIds(one, apart);
  if (typeof one !== "object" || one === null) return typeof one === "function" ? "" : String(one);
  const nested = write(one);
  apart.times.push(...nested.times);
  apart.tokens.push(...nested.tokens);
  apart.ids.push(...nested.ids);
  return `#${nested.text}`;
}

/** Farther back than any bound reaches, a time is only long ago. */
const LONG_AGO = -(TIMING.leaseTtl + TIMING.expiry + TIMING.skew + TIMING.readLag + 2 * TIMING.secondMiss);

interface Line {
  readonly now: number;
  readonly token: number;
  /** All client ids of a state, from the first one on. */
  readonly ids: readonly string[];
}

function line(written: Written, { now, token, ids }: Line): string {
  const ago = written.times.map((time) => Math.max(LONG_AGO, time - now));
  return `${still(written, { ids })}(${ago.join()})${written.tokens.map((one) => token - one).join()}`;
}

/** Without its times: of ids it counts which one is before which. */
const still = ({ text, ids: own }: Written, { ids }: Pick<Line, "ids">): string =>
  `${text}<${own.map((id) => ids.filter((other) => other < id).length).join()}>`;

function tablesLine(tables: Tables, when: Line): string {
  const { orders, unsettled, strategies, fills, cursors, kill, epoch, accounts } = tables;
  const rows = [...orders.values(), ...strategies.values()].map((row) => line(write(row), when));
  const { token: _token, owner: _owner, until = 0, ...rest } = accounts.get(KEY) ?? {};
  const open = still(write([...unsettled]), when);
  const account = `${Math.max(-1, until - when.now)} ${line(write({ ...rest }), when)}`;
  return [...rows, open, ...fills.keys(), ...cursors.keys(), kill.on, epoch, account].join(";");
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
      ...shownBefore(state).map((one) => still(write(one.exchange), when)),
      restores > 0 ? recorded.size : earlier.map((tables) => tablesLine(tables, when)).join("/"),
    ].join("|"),
  );
}

/** What tells two states apart in which only what is usual happens any more: nothing that is past comes back. */
export const fingerprintOnward = (state: State): number => hash(onwardLine(state, whenOf(state)));

const whenOf = ({ now, tables, recorded }: State): Line => ({
  now,
  token: tables.accounts.get(KEY)?.token ?? 0,
  ids: [...recorded].sort(),
});

/** The exchange as old reads still show it, each until when it was so. */
function shownBefore({ past, now }: State): { readonly exchange: Exchange; readonly until: number }[] {
  return past.flatMap(({ exchange }, i) => {
    const until = past[i + 1]?.at;
    return until !== undefined && until > now - TIMING.readLag ? [{ exchange, until }] : [];
  });
}

function onwardLine(state: State, when: Line): string {
  const { now, tables, exchange, flights, processes, running, restores, recorded, setting } = state;
  const observed = shownBefore(state).map(
    (one) => `${one.until - now}:${setting.reads === "old" ? still(write(one.exchange), when) : ""}`,
  );
  const parts = [
    tablesLine(tables, when),
    line(write(exchange), when),
    ...observed,
    ...flights.map(
      (one) => `${one.kind === "store" ? "" : one.at - now}${line(write(one.args[0] as object), when)}`,
    ),
    ...processes.map((one) =>
      one
        ? [
            one.passing.startedAt - now,
            ...one.passing.results.map(
              (result) =>
                `${result.at - now}${valueLine("error" in result ? result.error : result.value, when)}`,
            ),
            one.paused &&
              `${one.paused.from - now}${valueLine("error" in one.paused.result ? one.paused.result.error : one.paused.result.value, when)}`,
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
  const rows = [...orders.values(), ...strategies.values(), exchange].map(write);
  const all = rows.map(({ text, ids }) => `${text}<${ids.join()}>`);
  return [...all, ...unsettled, ...fills.keys(), failures, memory?.turn].join();
}
