import type { Millis } from "../../kernel/time.ts";
import type { Context } from "./context.ts";

interface KeptForm<Reported> {
  /** Maximum number of cached responses. */
  readonly most: number;
  /** Whether a response is small enough and requested often enough to cache. */
  readonly isWorth: (result: Reported) => boolean;
}

/** A response, and the protocol time at which it was repeated from the cache; undefined if it was just read. */
interface KeptView<Reported> {
  readonly value: Reported;
  readonly now: Millis | undefined;
}

/**
 * Caches reads, and repeats a response while no process has changed the database. If changes cannot be detected,
 * every request reads. A response must not depend on the time, except for parts that the caller computes.
 */
export function keptReads<Reported>(
  { stamp }: Pick<Context, "stamp">,
  { most, isWorth }: KeptForm<Reported>,
) {
  let since: string | undefined;
  const kept = new Map<string, Reported>();
  return async (key: string, read: () => Promise<Reported>): Promise<KeptView<Reported>> => {
    // Before the read, so a change between the two makes the stamp too old, never too new.
    const found = await stamp();
    if (!found) return { value: await read(), now: undefined };
    if (found.changes !== since) kept.clear();
    since = found.changes;
    const known = kept.get(key);
    if (known !== undefined) return { value: known, now: found.now };
    const result = await read();
    if (since === found.changes && isWorth(result)) {
      if (kept.size === most) kept.clear();
      kept.set(key, result);
    }
    return { value: result, now: undefined };
  };
}
