import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { startSqld } from "../support/sqld.ts";
import { makeFolder } from "../support/temp.ts";
import { bundleDeeds } from "./bundle.ts";
import { GUARDS, isOfSchema, type prove } from "./guards/guards.ts";
import { turnOff, turnOn } from "./switch.ts";

/** Takes each guard out of the store, on a file and on a server, and shows that its deed comes to something else then. */
export async function proveGuards(named: readonly string[]): Promise<boolean> {
  const chosen = GUARDS.filter(({ name }) => named.length === 0 || named.includes(name));
  const strange = named.filter((name) => !chosen.some((guard) => guard.name === name));
  if (strange.length > 0) throw new Error(`there is no guard "${strange.join('", "')}"`);
  const { script, mutants } = await bundleDeeds();
  const { path: folder, remove } = makeFolder();
  const server = await startSqld();
  let failed = 0;

  /** Does a guard's deed; what fails in another way than a refusal is no proof of anything. */
  async function look(name: string, isServer: boolean, isWithout: boolean): Promise<void> {
    const place = GUARDS.findIndex((one) => one.name === name);
    const own = `${isWithout ? "x" : "g"}${place}n`;
    const mutant = isWithout ? mutants.find(({ guard }) => guard === name) : undefined;
    if (mutant) turnOn(mutant.number);
    else turnOff();
    // A statement that has been made keeps what it was made with.
    const deeds = `${pathToFileURL(script).href}?${mutant?.number ?? "healthy"}`;
    const run = ((await import(deeds)) as { prove: typeof prove }).prove;
    const url = isServer ? server.url : `file:${join(folder, `${own}.db`)}`;
    const { holds, was } = await run({ name, url, own, isWithout }).catch((error: unknown) => ({
      holds: isWithout,
      was: String(error),
    }));
    if (holds !== isWithout) return;
    failed++;
    const text = JSON.stringify(was, (_, one) => (typeof one === "bigint" ? String(one) : one));
    const what = isWithout ? "nothing shows that it is missing" : "does not hold";
    console.log(`${name}: ${what} on a ${isServer ? "server" : "file"} (${text})`);
  }

  try {
    for (const guard of chosen)
      for (const isServer of [false, true]) {
        await look(guard.name, isServer, false);
        // A server's schema is made once: what guards it is left out on files.
        if (!(isServer && isOfSchema(guard))) await look(guard.name, isServer, true);
      }
  } finally {
    await server.stop();
    remove();
  }
  console.log(
    `${chosen.length} guards, each with two writers on a file and on a server; ${failed} without proof`,
  );
  return failed === 0;
}
