import type { InStatement, ResultSet } from "@libsql/client";
import { messageOf, StoreError } from "../../kernel/errors.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { DatabaseUse } from "../../model/limits.ts";
import type { Local } from "../../ports/within-time.ts";

/** Maximum wait of a call for another process's lock, including its time in the queue. */
const MAX_LOCK_WAIT_MS: Millis = 10 * SECOND;

export interface QueueTurn {
  /** Whether it only reads; while another process writes, it can run before waiting writes. */
  readonly isRead: boolean;
  /** Whether it runs before all others and has no maximum wait. */
  readonly isFirst: boolean;
}

interface WaitingCall extends QueueTurn {
  readonly since: Millis;
  /** Tries once; throws if another process holds the write lock. */
  readonly attempt: () => Promise<void>;
  readonly giveUp: (error: unknown) => void;
}

interface QueueParts {
  readonly local: Local;
  /** Opens a new connection; never throws, even if none can be opened now. */
  readonly again: () => Promise<void>;
}

/**
 * Queues one connection's calls. A call that was refused because another process writes had no effect: it keeps its
 * place and is retried, and only a call with priority can overtake it.
 */
export function callQueue({ local, again }: QueueParts) {
  let waiting: WaitingCall[] = [];
  let isWorking = false;
  let refusals = 0;
  let refusedSince: Millis | undefined;
  let triedAgainAt: Millis = Number.NEGATIVE_INFINITY;

  /**
   * Returns the next call. While another process writes, possible reads run first, even before a call with priority
   * that is waiting for its retry.
   */
  function next(): WaitingCall | undefined {
    const read = refusals > 0 ? waiting.find(({ isRead }) => isRead) : undefined;
    const first = waiting.find(({ isFirst }) => isFirst);
    return first && !(read && read.since <= triedAgainAt) ? first : (read ?? waiting[0]);
  }

  const leave = (waitingCall: WaitingCall) => {
    waiting = waiting.filter((other) => other !== waitingCall);
  };

  async function work(): Promise<void> {
    isWorking = true;
    for (let one = next(); one; one = next()) {
      try {
        await one.attempt();
        leave(one);
        if (!one.isRead) [refusals, refusedSince] = [0, undefined];
      } catch (error) {
        await refused(one, error);
      }
    }
    isWorking = false;
  }

  async function refused(waitingCall: WaitingCall, error: unknown): Promise<void> {
    if (!isBusy(error)) {
      leave(waitingCall);
      waitingCall.giveUp(storeError(error));
      if (needsConnection(error)) await again();
      return;
    }
    refusals++;
    refusedSince ??= local.monotonic();
    const late = waiting.filter(
      ({ isFirst, since }) => !isFirst && local.monotonic() - since > MAX_LOCK_WAIT_MS,
    );
    for (const other of late) {
      leave(other);
      other.giveUp(storeError(error));
    }
    if (waiting.length === 0) [refusals, refusedSince] = [0, undefined];
    await local.sleep(backoff(refusals, local.randomText(1)));
    await again();
    triedAgainAt = local.monotonic();
  }

  return {
    run<T>(call: () => Promise<T>, context: QueueTurn): Promise<T> {
      return new Promise((resolve, reject) => {
        const attempt = async () => resolve(await call());
        waiting.push({ ...context, since: local.monotonic(), attempt, giveUp: reject });
        if (!isWorking) void work();
      });
    },
    /** Returns how long another process has kept the first call from writing. */
    keptWaiting: (): Millis => (refusedSince === undefined ? 0 : local.monotonic() - refusedSince),
  };
}

interface Patience {
  readonly local: Local;
  readonly attempts: number;
}

/** Retries a call that a server refused because of another write; it had no effect. */
export async function patient<T>(call: () => Promise<T>, { local, attempts }: Patience): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!isBusy(error) || attempt === attempts) throw storeError(error);
      await local.sleep(backoff(attempt, local.randomText(1)));
    }
  }
}

// 5 to 10 ms at first, growing to 100 to 200, at random, so two processes do not collide repeatedly.
export function backoff(attempt: number, random: string): number {
  const most = Math.min(200, 10 * 2 ** Math.min(attempt - 1, 5));
  return most * (0.5 + Number.parseInt(random, 36) / 72);
}

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

/** Calls to a database: each one takes effect or throws StoreError. They add their cost to `use`. */
export interface Calls {
  execute(statement: InStatement, use?: DatabaseUse): Promise<ResultSet>;
  /** Reads from the primary, because replicas can lag behind it; for reads that a write depends on. */
  fresh(statement: InStatement, use?: DatabaseUse): Promise<ResultSet>;
  /**
   * Writes recoverable data, all statements or none. On a file, it does not wait for the disk; the next durable write
   * saves it. A power failure can lose it and all later such writes; the end of a process loses nothing.
   */
  unwaited(...statements: InStatement[]): Promise<ResultSet[]>;
  /** Runs all statements or none. */
  batch(statements: InStatement[], mode: "write" | "read", use?: DatabaseUse): Promise<ResultSet[]>;
  /**
   * Runs reads and the write that depends on them without another call of this process in between; repeats all of it
   * if another process interfered. A call with priority runs before all others and has no maximum wait.
   */
  turn(act: (calls: TurnCalls) => Promise<ResultSet[]>, isFirst?: boolean): Promise<ResultSet[]>;
  /** Undefined if only a read shows whether anything has changed. */
  stamp(): Promise<Stamp | undefined>;
  /** Returns how long another process has blocked a write. */
  keptWaiting(): Millis;
  close(): void;
}

/** Data about a database that need no read. */
export interface Stamp {
  /** Text that changes with every write of any process, and never repeats. */
  readonly changes: string;
  /** Time of the database's clock. */
  readonly now: Millis;
}

/** Calls within a turn; they throw the library's errors. */
export type TurnCalls = Pick<Calls, "execute" | "batch">;

/** The only access to a database. */
export type SafeClient = Calls & WatchedDatabase;

interface WatchedDatabase {
  /** Returns why the database does not work properly; undefined if no problem is known. */
  trouble(): string | undefined;
  /** Returns the time since the last confirmed write. */
  sinceWrite(): Millis;
}

/** Runs all statements or none; a single statement needs no transaction. */
export const allOrNone = async (
  { execute, batch }: TurnCalls,
  statements: InStatement[],
): Promise<ResultSet[]> =>
  statements.length === 1 ? [await execute(statements[0] as InStatement)] : batch(statements, "write");
