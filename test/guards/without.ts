import { pathToFileURL } from "node:url";
import { bundleWorker } from "../simulation/build.ts";
import type { Guard } from "./guard.ts";
import type { prove } from "./prove.ts";

export const isOfSchema = ({ file }: Guard): boolean => file.startsWith("drizzle/");

/** The same proof, of a store from whose statements a guard has been taken out. */
export async function proverWithout(guard: Guard | undefined): Promise<typeof prove> {
  const { name = "", file = "", from = "", to = "" } = guard ?? {};
  const mutant = guard && !isOfSchema(guard) ? { name, edits: [{ file, from, to }] } : undefined;
  const script = await bundleWorker(mutant, "test/guards/prove.ts");
  return ((await import(pathToFileURL(script).href)) as { prove: typeof prove }).prove;
}
