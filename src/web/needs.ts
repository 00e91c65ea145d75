import { countWithVerb } from "../kernel/plain-text.ts";
import type { StrategyRow } from "./types.ts";

/** Notices that end by themselves, or that only inform. */
const QUIET_NOTICES = "defended exchange_unavailable killed market_closed stream_down wide_spread".split(" ");
/** Notices that explain the error of a strategy and what to do. */
const ERROR_CAUSES = "key_refused key_missing exchange_unavailable".split(" ");
/** The order of the list, from what costs money soonest; all others are in the middle. */
const FIRST =
  "stalled exit exit_beyond_collar stop_price_held_up stop_price_unwatched error key_refused key_missing".split(
    " ",
  );
const LAST = "out_of_range paused".split(" ");

export interface NeedEntry {
  /** Stays the same while its message changes, such as a time in it. */
  readonly key: string;
  readonly code: string;
  readonly message: string;
  /** Strategies with the same message. */
  readonly rows: readonly StrategyRow[];
}

/** Returns what a user has to decide about strategies, once for all that have the same message. */
export function needsOfRows(rows: readonly StrategyRow[]): readonly NeedEntry[] {
  const needs = new Map<string, NeedEntry>();
  for (const row of rows) {
    const { notices, lastError } = row;
    const error =
      lastError === null || notices.some(({ code }) => ERROR_CAUSES.includes(code))
        ? []
        : [{ code: "error", message: lastError }];
    for (const { code, message } of [
      ...error,
      ...notices.filter((one) => !QUIET_NOTICES.includes(one.code)),
    ]) {
      const known = needs.get(message);
      const key = known?.key ?? `${code} ${row.id}`;
      needs.set(message, { key, code, message, rows: [...(known?.rows ?? []), row] });
    }
  }
  const rank = ({ code }: NeedEntry) => {
    const first = FIRST.indexOf(code);
    return first < 0 ? LAST.indexOf(code) + 1 : first - FIRST.length;
  };
  return [...needs.values()].sort((a, b) => rank(a) - rank(b));
}

/** Whether a resume mends it. */
export const isResumed = ({ code, rows: [row] }: NeedEntry): boolean =>
  code === "paused" || (code === "error" && row?.status === "error");

/** What several strategies have, by the code of entries that are folded into one from `FOLDED` on. */
const STATES: Readonly<Record<string, string>> = {
  out_of_range: "outside their range",
  base_missing: "without the base that they bought",
  limit: "blocked by a limit",
  loss_limit: "at their loss limit",
  paused: "paused",
};
const FOLDED = 3;

/** Number of other groups that are listed at first. */
const MAX_GROUPS = 3;

/** Returns the groups that are listed at first: all urgent ones, which come first, and a few others. */
export const firstGroups = (groups: readonly (readonly NeedEntry[])[]): readonly (readonly NeedEntry[])[] =>
  groups.slice(0, Math.max(MAX_GROUPS, groups.filter(([need]) => need && FIRST.includes(need.code)).length));

/** Returns the entries in groups, of which most have one. */
export function needGroups(needs: readonly NeedEntry[]): readonly (readonly NeedEntry[])[] {
  const isMany = (need: NeedEntry) =>
    STATES[need.code] !== undefined && needs.filter(({ code }) => code === need.code).length >= FOLDED;
  const groups = new Map<string, NeedEntry[]>();
  for (const need of needs) {
    const key = isMany(need) ? need.code : need.key;
    groups.set(key, [...(groups.get(key) ?? []), need]);
  }
  return [...groups.values()];
}

/** Describes in one line what several strategies have. */
export function groupText(needs: readonly NeedEntry[]): string {
  const rows = needs.flatMap((one) => one.rows);
  const noun = rows.every(({ definition }) => definition === "grid") ? "grid" : "strategy";
  return `${countWithVerb(rows.length, noun)} ${STATES[needs[0]?.code ?? ""]}`;
}
