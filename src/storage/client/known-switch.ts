import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Millis } from "../../kernel/time.ts";
import { isBlockedByKill, type Kill, type Panic, switchedKill } from "../../model/kill.ts";
import type { OrderKind } from "../../model/order.ts";

const KILL_OFF: Kill = { on: false, cancels: false, sells: false };

/**
 * The kill switch as this process last set or read it. If set here, it applies from that moment, even while the write
 * waits for a lock or its result is unknown; later reads replace it.
 */
export function knownSwitch() {
  let known: Kill = KILL_OFF;
  let turning = 0;
  let turns = 0;
  return {
    keepsBack: (kind: OrderKind): boolean => isBlockedByKill(known, kind),
    isTurning: (): boolean => turning > 0,
    /** Returns how often it was set here; a read that was requested before the last time is outdated. */
    turns: (): number => turns,
    read(found: Kill, requestCount: number): void {
      if (turning === 0 && requestCount === turns) known = found;
    },
    async turn<T>(on: boolean, panic: Panic, write: () => Promise<T>): Promise<T> {
      const turn = ++turns;
      turning++;
      if (on) known = switchedKill(known, on, panic);
      try {
        const written = await write();
        if (!on && turn === turns) known = KILL_OFF;
        return written;
      } finally {
        turning--;
      }
    },
  };
}

/**
 * Returns `isAhead` of `kernel/time.ts` in SQL: whether a stored time is in the future, but not further than its rule
 * allows.
 */
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
