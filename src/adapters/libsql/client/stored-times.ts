/** The rules of `kernel/time.ts` about stored times, in SQL. */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Millis } from "../../../kernel/time.ts";

/** Whether a stored time still holds something back: it lies ahead, and no further than its rule can yield from now. */
export const isAheadRow = (
  stored: SQLWrapper,
  now: SQL<number>,
  longest: SQL<number> | Millis,
): SQL<boolean> => sql<boolean>`(${stored} > ${now} and ${stored} <= ${now} + ${longest})`;

/** How long ago something was stored: for ever where a clock that was ahead has written the time. */
export const ageOfRow = (stored: SQLWrapper, now: SQL<number>): SQL<number> =>
  sql<number>`iif(${stored} > ${now}, ${Number.MAX_SAFE_INTEGER}, ${now} - ${stored})`;

/** A stored time; now where it lies ahead. */
export const notAhead = (stored: SQLWrapper, now: SQL<number>): SQL<number> =>
  sql<number>`min(${stored}, ${now})`;
