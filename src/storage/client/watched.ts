import type { InStatement, ResultSet } from "@libsql/client";
import { StoreError } from "../../kernel/errors.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { Local } from "../../ports/local.ts";
import type { Calls, SafeClient } from "./calls.ts";

/** A lock that lasts longer is reported as a problem. */
const LONG_LOCK: Millis = 2 * SECOND;

/** Wraps the calls and records results. The next successful write clears a failed one. */
export function watchedCalls(calls: Calls, local: Local): SafeClient {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let failed: { readonly message: string; readonly isRead: boolean } | undefined;

  async function watch<T extends ResultSet | ResultSet[]>(isRead: boolean, call: Promise<T>): Promise<T> {
    // A full disk accepts a write that changes no row.
    return watchFor(isRead, call, (result) => [result].flat().some(({ rowsAffected }) => rowsAffected > 0));
  }

  async function watchFor<T>(isRead: boolean, call: Promise<T>, writes: (result: T) => boolean): Promise<T> {
    try {
      const result = await call;
      const hasWritten = writes(result);
      if (hasWritten) writtenAt = local.monotonic();
      if (hasWritten || failed?.isRead) failed = undefined;
      return result;
    } catch (error) {
      if (error instanceof StoreError && error.failure === "unavailable")
        failed = { message: error.message, isRead };
      throw error;
    }
  }

  return {
    ...calls,
    execute: (statement, use) => watch(isSelect(statement), calls.execute(statement, use)),
    unwaited: (...statements) => watch(false, calls.unwaited(...statements)),
    fresh: (statement, use) => watch(true, calls.fresh(statement, use)),
    batch: (statements, mode, use) => watch(mode === "read", calls.batch(statements, mode, use)),
    stamp: () => watchFor(true, calls.stamp(), () => false),
    turn: (act, isFirst) => watch(false, calls.turn(act, isFirst)),
    trouble() {
      if (failed) return failed.message;
      const waited = calls.keptWaiting();
      if (waited < LONG_LOCK) return undefined;
      return `the database cannot be written: another process has held its lock for ${Math.round(waited / SECOND)} s`;
    },
    sinceWrite: () => local.monotonic() - writtenAt,
  };
}

export const isSelect = (statement: InStatement): boolean =>
  /^\s*select\b/i.test(typeof statement === "string" ? statement : statement.sql);
