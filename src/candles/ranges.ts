import type { Millis } from "../kernel/time.ts";

/** A span from a time to before another. */
export interface Range {
  readonly from: Millis;
  readonly until: Millis;
}

/** Adds a range: the result is ascending without overlaps. */
export function withRange(ranges: readonly Range[], added: Range): Range[] {
  if (added.until <= added.from) return [...ranges];
  const touches = ({ from, until }: Range) => from <= added.until && until >= added.from;
  const joined = ranges
    .filter(touches)
    .reduce(
      (whole, { from, until }) => ({ from: Math.min(whole.from, from), until: Math.max(whole.until, until) }),
      added,
    );
  return [...ranges.filter((range) => !touches(range)), joined].sort((a, b) => a.from - b.from);
}

/** Returns the parts of a range that no other range covers, ascending. `ranges` are ascending without overlaps. */
export function partsWithout(ranges: readonly Range[], whole: Range): Range[] {
  const parts: Range[] = [];
  let from = whole.from;
  for (const { from: start, until } of ranges) {
    if (until <= from || start >= whole.until) continue;
    if (start > from) parts.push({ from, until: start });
    from = Math.max(from, until);
  }
  if (from < whole.until) parts.push({ from, until: whole.until });
  return parts;
}
