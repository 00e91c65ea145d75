import { csvLines } from "../../kernel/csv.ts";
import { digest } from "../../kernel/digest.ts";
import { AppError } from "../../kernel/errors.ts";
import type { WatchedPair } from "../../model/samples/promise.ts";
import { MINUTES_PER_DAY, type MissedMinute } from "../../model/samples/sample.ts";
import type { DaySums } from "../../model/samples/sums.ts";
import type { Deps } from "../../ports/deps.ts";
import {
  addUpMinutes,
  countUp,
  type DayPart,
  joinDays,
  joinParts,
  type LiquiditySpan,
  spanDays,
  type UpRule,
} from "../obligations.ts";
import { MINUTE_COLUMNS, minuteRow } from "../report.ts";
import type { LiquidityStore } from "../store/store.ts";

type DayReading = Pick<Deps, "local" | "requests"> & { readonly store: LiquidityStore };

/** Complete days and the current one, and the rule that counts their minutes. */
interface SpanRead {
  readonly pair: WatchedPair;
  readonly from: number;
  readonly to: number;
  /** The current day, which is incomplete. */
  readonly today: number;
  /** The first minute with a row. */
  readonly since: number | undefined;
  readonly rule: UpRule | undefined;
}

/** Number of days whose stored sums are read at once. */
const DAYS_AT_ONCE = 31;
/** Number of minutes that are read at once, which takes some milliseconds. */
const MINUTES_AT_ONCE = 360;
/** Requests reserved for storing sums, and for the rest of a response. */
const REQUESTS_LEFT = 5;
/** Maximum number of rules with stored results per day. */
const MAX_RULES_STORED = 8;

/**
 * Returns the sums of a span. A finished day uses its stored sums; without them, it is computed and stored, a quarter
 * of a day at a time, so other requests run in between. Throws AppError if the platform's requests are used up.
 */
export async function readLiquidity(deps: DayReading, request: SpanRead): Promise<LiquiditySpan> {
  const all = spanDays(request);
  const days: DaySums[] = [];
  for (let at = 0; at < all.length; at += DAYS_AT_ONCE) {
    const page = all.slice(at, at + DAYS_AT_ONCE);
    days.push(...(await readPage(deps, request, page)));
  }
  return joinDays(request, days, request.rule);
}

type SpanDay = ReturnType<typeof spanDays>[number];

async function readPage(deps: DayReading, request: SpanRead, page: readonly SpanDay[]): Promise<DaySums[]> {
  const { store, local } = deps;
  const { pair, today, rule } = request;
  const isOver = ({ day }: Pick<SpanDay, "day">) => day < today;
  const [first, last] = [page[0] as SpanDay, page.at(-1) as SpanDay];
  const stored = new Map(
    (await store.days(pair, first.day, last.day)).map((daySums) => [daySums.day, daySums]),
  );
  const isWhole = page.every((day) => isOver(day) && stored.has(day.day));
  const misses = isWhole ? [] : await store.misses(pair, first.from, last.to);
  await local.sleep(0);
  const [days, changed]: [DaySums[], DaySums[]] = [[], []];
  for (const day of page) {
    const known = isOver(day) ? stored.get(day.day) : undefined;
    if (known && (!rule || known.up[rule.key] !== undefined)) {
      days.push(known);
      continue;
    }
    if (isSpent(deps)) {
      await store.keepDays(pair, changed);
      throw tooManyDays();
    }
    const found = await readDay(deps, request, { ...day, known, misses });
    days.push(found);
    if (isOver(day) && found.sums.known + found.missed > 0) changed.push(found);
  }
  await store.keepDays(pair, changed);
  return days;
}

const isSpent = ({ requests }: DayReading): boolean => requests !== undefined && requests() < REQUESTS_LEFT;

const tooManyDays = (): AppError =>
  new AppError(
    "Too many requests",
    "this platform limits database requests per response, and the report needs more; the days read so far are stored, so repeat the request",
  );

interface DayRead extends SpanDay {
  readonly known: DaySums | undefined;
  /** Misses of this day and of others. */
  readonly misses: readonly MissedMinute[];
}

async function readDay(deps: DayReading, request: SpanRead, day: DayRead): Promise<DaySums> {
  const { known, from, to } = day;
  const { pair, rule } = request;
  if (!known || !rule) return addUpDay(deps, request, day);
  const offers = await deps.store.ownOffers(pair, { from, to, usesDepth: rule.usesDepth });
  // Otherwise some of the minutes are missing.
  if (offers.length !== known.sums.known) return addUpDay(deps, request, day);
  await deps.local.sleep(0);
  const others = Object.entries(known.up).slice(1 - MAX_RULES_STORED);
  return { ...known, up: { ...Object.fromEntries(others), ...countUp(offers, rule) } };
}

async function addUpDay(
  { store, local, requests }: DayReading,
  { pair, since, rule }: SpanRead,
  { day, from, to, misses }: DayRead,
): Promise<DaySums> {
  let sum: DayPart | undefined;
  let table = csvLines([MINUTE_COLUMNS]);
  const isEmpty = since === undefined || to <= since;
  // If requests are limited, a whole day is read in one request.
  const length = requests || isEmpty ? MINUTES_PER_DAY : MINUTES_AT_ONCE;
  for (let at = from; at < to; at += length) {
    const end = Math.min(at + length, to);
    const rows = isEmpty ? [] : await store.minutes(pair, at, end);
    const missed = misses.filter(({ minute }) => minute >= at && minute < end);
    const part = addUpMinutes({ from: at, to: end, rows }, missed, rule);
    sum = sum ? joinParts(sum, part) : part;
    table += csvLines(rows.map(minuteRow));
    if (!isEmpty) await local.sleep(0);
  }
  const parts = sum ?? addUpMinutes({ from, to, rows: [] }, [], rule);
  return { day, ...parts, hash: parts.sums.known === 0 ? null : await digest(table) };
}
