import type { InStatement, ResultSet } from "@libsql/client";
import type { Millis } from "../../../kernel/time.ts";
import type { DatabaseUse } from "../../../model/usage.ts";

/** The calls to a database: they either happened as they say or throw StoreError. `use` is added to. */
export interface Calls {
  execute(statement: InStatement, use?: DatabaseUse): Promise<ResultSet>;
  /** A read that a write may rest on: of the primary, where others answer too and may lag behind it. */
  fresh(statement: InStatement, use?: DatabaseUse): Promise<ResultSet>;
  /**
   * A write of what can be found out again, all statements or none: on a file it does not wait for the disk, and is there
   * with the next that does. A power cut may take it, with all that came after; the end of a process takes nothing.
   */
  unwaited(...statements: InStatement[]): Promise<ResultSet[]>;
  /** All statements or none. */
  batch(statements: InStatement[], mode: "write" | "read", use?: DatabaseUse): Promise<ResultSet[]>;
  /**
   * A write after what it rests on was read: nothing of this process comes between, and all of it is done again where
   * another process was in the way. One that is first goes before all that wait, and waits for a lock as long as it takes.
   */
  turn(act: (calls: Turned) => Promise<ResultSet[]>, isFirst?: boolean): Promise<ResultSet[]>;
  /** Undefined where only reading tells whether anything has changed. */
  stamp(): Promise<Stamp | undefined>;
  /** How long another process has kept a write waiting. */
  keptWaiting(): Millis;
  close(): void;
}

/** What is known of a database without reading it. */
export interface Stamp {
  /** Another text after each change, whoever makes it; never one that there has been before. */
  readonly changes: string;
  /** By the database's own clock. */
  readonly now: Millis;
}

/** What a turn asks of the database; its errors are the library's own. */
export type Turned = Pick<Calls, "execute" | "batch">;

/** The only way to a database. */
export type SafeClient = Calls & WatchedDatabase;

export interface WatchedDatabase {
  /** Why the database cannot be used as it should be; undefined where nothing is known to be wrong. */
  trouble(): string | undefined;
  /** How long ago something was written for certain. */
  sinceWrite(): Millis;
}

/** All statements or none; one alone needs no transaction of its own. */
export const allOrNone = async (
  { execute, batch }: Turned,
  statements: InStatement[],
): Promise<ResultSet[]> =>
  statements.length === 1 ? [await execute(statements[0] as InStatement)] : batch(statements, "write");
