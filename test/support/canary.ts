/**
 * Every secret of the tests carries a mark, and whatever leaves a test's process is looked through for it
 * (canary-watch.ts): a secret that is shown anywhere fails the test that showed it.
 */
import { inspect } from "node:util";

/** The letters that a secret begins with, and what they stand for in base64: either is found where it is shown. */
const MARK = "Y2FuYXJ5OjQ3MTEh";
const DECODED = atob(MARK);

/** A key, a passphrase, a token. */
export const canary = (name: string): string => `${MARK}-${name}`;
/** A secret as exchanges give it: base64. */
export const canarySecret = (name: string): string => `${MARK}${btoa(`secret of ${name}`)}`;
/** 32 bytes in base64. */
export const canaryKek = (letter: string): string => `${MARK}${letter.repeat(26)}A=`;

const hex = (bytes: Uint8Array, between = ""): string =>
  [...bytes].map((one) => one.toString(16).padStart(2, "0")).join(between);
/** Base64 of the mark behind 0, 1 or 2 other bytes, without the letters that its neighbours have a part in. */
const inBase64 = [0, 1, 2].map((before) =>
  btoa(`${"x".repeat(before)}${MARK}`).slice(before === 0 ? 0 : before + 1, -4),
);

/** Whatever a secret may look like where it is shown. */
const LOOKS: readonly string[] = [
  MARK,
  DECODED,
  ...inBase64,
  ...[MARK, DECODED]
    .map((text) => new TextEncoder().encode(text))
    .flatMap((bytes) => [hex(bytes), hex(bytes, " "), bytes.join(", "), bytes.join(",")]),
];
const MAX_LOOK_CHARACTERS = Math.max(...LOOKS.map(({ length }) => length));

const leaks: string[] = [];

/** Notes it when a secret is in what was shown, given as latin1. */
function look(where: string, shown: string): void {
  const found = LOOKS.find((one) => shown.includes(one));
  if (found === undefined) return;
  const at = shown.indexOf(found);
  leaks.push(`${where}: …${shown.slice(Math.max(0, at - 60), at + found.length + 20)}…`);
}

/** What was shown since the last time it was asked. */
export const takeLeaks = (): string[] => leaks.splice(0);

/** Looks through what comes in parts, also where a secret lies over a border of two. */
export function looking(where: string): (part: unknown) => void {
  let rest = "";
  return (part) => {
    const shown = rest + latin1(part);
    look(where, shown);
    rest = shown.slice(1 - MAX_LOOK_CHARACTERS);
  };
}

const latin1 = (part: unknown): string =>
  (part instanceof Uint8Array ? Buffer.from(part) : Buffer.from(String(part), "utf8")).toString("latin1");

/** Text, bytes, or whatever else as a program would print it whole. */
export function lookAt(where: string, value: unknown): void {
  const isPlain = typeof value === "string" || value instanceof Uint8Array;
  look(where, latin1(isPlain ? value : inspect(value, WHOLE)));
}
const WHOLE = { depth: 12, maxArrayLength: null, maxStringLength: null };
