import { messageOf, StoreError } from "../../errors.ts";

export const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";

/** What a failed call to the database means for its caller. */
export function storeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = messageOf(error);
  const options = { cause: error };
  if (message.includes("fence_holds")) return new StoreError("fenced", "the lease is another's now", options);
  if (codeOf(error).startsWith("SQLITE_CONSTRAINT")) return new StoreError("constraint", message, options);
  return new StoreError("unavailable", message, options);
}
