/** The rules of `kernel/time.ts` for stored times, in SQL. */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Millis } from "../../kernel/time.ts";

/** Returns whether a stored time is in the future, but not further than its rule allows. */
export const isAheadRow = (
  stored: SQLWrapper,
  now: SQL<number>,
  longest: SQL<number> | Millis,
): SQL<boolean> => sql<boolean>`(${stored} > ${now} and ${stored} <= ${now} + ${longest})`;

/** Returns the age of a stored time; infinite if a clock that was ahead wrote it. */
export const ageOfRow = (stored: SQLWrapper, now: SQL<number>): SQL<number> =>
  sql<number>`iif(${stored} > ${now}, ${Number.MAX_SAFE_INTEGER}, ${now} - ${stored})`;

/** Returns a stored time, or the current time if it lies in the future. */
export const notAhead = (stored: SQLWrapper, now: SQL<number>): SQL<number> =>
  sql<number>`min(${stored}, ${now})`;
