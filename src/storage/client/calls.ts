import type { InStatement, ResultSet } from "@libsql/client";
import type { Millis } from "../../kernel/time.ts";
import type { DatabaseUse } from "../../model/usage.ts";

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
  turn(act: (calls: Turned) => Promise<ResultSet[]>, isFirst?: boolean): Promise<ResultSet[]>;
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
export type Turned = Pick<Calls, "execute" | "batch">;

/** The only access to a database. */
export type SafeClient = Calls & WatchedDatabase;

export interface WatchedDatabase {
  /** Returns why the database does not work properly; undefined if no problem is known. */
  trouble(): string | undefined;
  /** Returns the time since the last confirmed write. */
  sinceWrite(): Millis;
}

/** Runs all statements or none; a single statement needs no transaction. */
export const allOrNone = async (
  { execute, batch }: Turned,
  statements: InStatement[],
): Promise<ResultSet[]> =>
  statements.length === 1 ? [await execute(statements[0] as InStatement)] : batch(statements, "write");
