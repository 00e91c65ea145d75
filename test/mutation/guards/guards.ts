import { isDeepStrictEqual } from "node:util";
import { eachMigration as migrations } from "../../support/migrations.ts";
import { LIMIT_GUARDS } from "./limit.ts";
import { ROW_GUARDS } from "./row.ts";
import { SCHEMA_GUARDS } from "./schema.ts";
import { STEP_GUARDS } from "./step.ts";
import { type Guard, openBoth, twoWriters } from "./writers.ts";

/** Every condition on which a statement of the store, or its schema, refuses or leaves something alone. */
export const GUARDS: readonly Guard[] = [...STEP_GUARDS, ...LIMIT_GUARDS, ...ROW_GUARDS, ...SCHEMA_GUARDS];

export const isOfSchema = ({ file }: Guard): boolean => file.startsWith("drizzle/");

export interface Deed {
  /** Of the guard that decides it. */
  readonly name: string;
  readonly url: string;
  /** Starts the names of accounts and ids. No other deed on the same database has it. */
  readonly own: string;
  /** Leaves the guard out of the schema if it is there. */
  readonly isWithout: boolean;
}

/** Returns what comes of a guard's deed on a database, and whether that is what the guard promises. */
export async function prove({ name, url, own, isWithout }: Deed): Promise<{ holds: boolean; was: unknown }> {
  const guard = GUARDS.find((one) => one.name === name);
  if (!guard) throw new Error(`there is no guard "${name}"`);
  const { file, from, to, deed, should } = guard;
  const applied = migrations.map((one) =>
    isWithout && `drizzle/${one.name}` === file ? { ...one, text: replaceOnce(one.text, from, to) } : one,
  );
  const both = await openBoth(url, applied);
  try {
    const was = await deed(twoWriters(both, own));
    return { holds: isDeepStrictEqual(was, should), was };
  } finally {
    both.close();
  }
}

function replaceOnce(text: string, from: string, to: string): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`"${from}" stands ${parts.length - 1} times`);
  return parts.join(to);
}
