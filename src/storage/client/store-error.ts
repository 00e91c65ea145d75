import { messageOf, StoreError } from "../../kernel/errors.ts";

export const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";

/** Returns whether another process held the write lock; the call then had no effect. */
export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));

/** Returns whether another event has taken its position in the chain. */
export const isOvertaken = (error: unknown): boolean => messageOf(error).includes("events.chain");

/** Returns whether a required condition was false. */
export const isFencedOff = (error: unknown): boolean => messageOf(error).includes("fence_holds");

/** Returns whether the error can leave a connection reporting writes that it does not commit. */
export const needsConnection = (error: unknown): boolean =>
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)/.test(codeOf(error));

/** Reasons why a database cannot be used, for a person who can fix it. */
const STORE_REASONS: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_FULL/, "its disk is full"],
  [/^SQLITE_(BUSY|LOCKED)/, "another process holds its lock"],
  [/^SQLITE_IOERR/, "its disk cannot be read or written"],
  [/^SQLITE_READONLY/, "it is read-only"],
  [/^SQLITE_CANTOPEN/, "its file cannot be opened"],
  [/^SQLITE_CORRUPT/, "its file is damaged"],
  [/^(TypeError|TimeoutError|AbortError|HRANA|SERVER)/, "its server does not respond"],
];

function storeReasonOf(error: unknown): string | undefined {
  const name = error instanceof Error ? error.name : "";
  return STORE_REASONS.find(([form]) => form.test(codeOf(error)) || form.test(name))?.[1];
}

/** Converts a failed database call to a StoreError. */
export function storeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = messageOf(error);
  const options = { cause: error };
  if (isFencedOff(error)) return new StoreError("fenced", "another process has the lease now", options);
  if (isOvertaken(error))
    return new StoreError("unavailable", "other writes conflict with this one; try again", options);
  if (codeOf(error).startsWith("SQLITE_CONSTRAINT")) return new StoreError("constraint", message, options);
  const reason = storeReasonOf(error);
  return new StoreError("unavailable", reason ? `the database cannot be used: ${reason}` : message, options);
}
