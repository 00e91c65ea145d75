import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { INSTALL, type Sizes, TEST_LINES } from "./measure.ts";

/** The limit of each number, as size.json has them. */
export type Budget = Readonly<Record<string, { readonly value: number; readonly reason: string }>>;

export interface Finding {
  readonly name: string;
  readonly kind: "grew" | "unexplained" | "shrank";
  readonly text: string;
}

export function readBudget(folder: string): Budget {
  const path = join(folder, "size.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}

/** Returns the last 100 committed versions of size.json, newest first; undefined in a clone without its history. */
export function versionsOf(folder: string): readonly Budget[] | undefined {
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
  if (git("rev-parse", "--is-shallow-repository").trim() === "true") return undefined;
  return git("log", "--first-parent", "--diff-filter=AM", "-n100", "--format=%H", "--", "size.json")
    .split("\n")
    .filter((commit) => commit !== "")
    .map((commit) => JSON.parse(git("show", `${commit}:./size.json`)));
}

/** The install differs between platforms and versions of npm: its limit is a step of 50 MB, at least 25 above it. */
const limitOf = (name: string, size: number): number =>
  name === INSTALL ? Math.ceil((size + 25) / 50) * 50 : size;

/** Compares each number with its limit. A raised limit needs another reason than the last lower one had. */
export function compare(sizes: Sizes, budget: Budget, versions: readonly Budget[] = []): readonly Finding[] {
  return Object.entries(sizes).flatMap(([name, size]): readonly Finding[] => {
    if (name === TEST_LINES) return [];
    const { value, reason = "" } = budget[name] ?? { value: 0 };
    const found = (kind: Finding["kind"], text: string) => [{ name, kind, text: `${name} ${text}` }];
    if (size > value) return found("grew", `grew by ${format(size - value)} to ${format(size)}`);
    if (!/^\S.*$/.test(reason)) return found("unexplained", "has no reason of one line");
    const lower = versions.map((version) => version[name]).find((one) => one && one.value < value);
    if (lower?.reason === reason)
      return found("unexplained", `was raised from ${format(lower.value)} without a new reason`);
    if (limitOf(name, size) < value) return found("shrank", `shrank to ${format(size)} of ${format(value)}`);
    return [];
  });
}

/** Returns size.json with the current numbers. Numbers that grew or lack a reason get the given one. */
export function updated(sizes: Sizes, budget: Budget, findings: readonly Finding[], reason: string): Budget {
  const names = Object.keys({ ...sizes, [INSTALL]: 0 }).filter((name) => name !== TEST_LINES);
  const rows = names.map((name) => {
    const kind = findings.find((one) => one.name === name)?.kind;
    const value = kind ? limitOf(name, sizes[name] ?? 0) : budget[name]?.value;
    const isNew = kind === "grew" || kind === "unexplained";
    return [name, value === undefined ? value : { value, reason: isNew ? reason : budget[name]?.reason }];
  });
  return Object.fromEntries(rows);
}

export const format = (number: number): string => number.toLocaleString("en-US");
