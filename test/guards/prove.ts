// What a guard decides: the entry that is built with a guard taken out.
import { isDeepStrictEqual } from "node:util";
import { eachMigration as migrations } from "../support/migrations.ts";
import { GUARDS } from "./guards.ts";
import { openBoth, twoWriters } from "./writers.ts";

export interface Proof {
  readonly holds: boolean;
  readonly was: unknown;
}

let proofs = 0;

/** Does a guard's deed on a database; without the guard where it stands in the schema and is to be left out. */
export async function prove(name: string, url: string, without: boolean): Promise<Proof> {
  const guard = GUARDS.find((one) => one.name === name);
  if (!guard) throw new Error(`there is no guard "${name}"`);
  const { file, from, to, deed, should } = guard;
  const applied = migrations.map((one) =>
    without && `drizzle/${one.name}` === file ? { ...one, text: replaced(one.text, { from, to }) } : one,
  );
  const both = await openBoth(url, applied);
  try {
    // No other proof on the same server has these.
    const own = [without ? "x" : "g", GUARDS.indexOf(guard), "n", proofs++].join("");
    const was = await deed(twoWriters(both, own));
    return { holds: isDeepStrictEqual(was, should), was };
  } finally {
    both.close();
  }
}

function replaced(text: string, { from, to }: { readonly from: string; readonly to: string }): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`"${from}" stands ${parts.length - 1} times in the schema`);
  return parts.join(to);
}
