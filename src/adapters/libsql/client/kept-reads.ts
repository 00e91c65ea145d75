import type { Millis } from "../../../kernel/time.ts";
import type { Context } from "./context.ts";

interface KeptForm<Reported> {
  /** So many at most. */
  readonly most: number;
  /** What is small, and asked for again. */
  readonly isWorth: (result: Reported) => boolean;
}

/** What a read tells, and protocol time where it is told again: undefined where it was read just now. */
interface KeptView<Reported> {
  readonly value: Reported;
  readonly now: Millis | undefined;
}

/**
 * Reads whose answers are told again, without a read, as long as nothing in the database has changed, whoever would have
 * changed it; where nobody tells that, each is read. Of time nothing in an answer may depend but what its caller makes anew.
 */
export function keptReads<Reported>(
  { stamp }: Pick<Context, "stamp">,
  { most, isWorth }: KeptForm<Reported>,
) {
  let since: string | undefined;
  const kept = new Map<string, Reported>();
  return async (key: string, read: () => Promise<Reported>): Promise<KeptView<Reported>> => {
    // Before the read: of what changes between the two, the answer knows more than its stamp says.
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
