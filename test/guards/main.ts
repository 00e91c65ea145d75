// Takes each guard out of the store's statements and shows that its deed comes to something else then.
import { join } from "node:path";
import { startSqld } from "../support/sqld.ts";
import { makeFolder } from "../support/temp.ts";
import { GUARDS } from "./guards.ts";
import type { Proof } from "./prove.ts";
import { isOfSchema, proverWithout } from "./without.ts";

const named = process.argv.slice(2);
const chosen = GUARDS.filter(({ name }) => named.length === 0 || named.includes(name));
const { path: folder, remove } = makeFolder();
let [count, failed] = [0, 0];

const file = (): string => `file:${join(folder, `${count++}.db`)}`;

/** Does a guard's deed; what fails in another way than a refusal is no proof of anything. */
async function look(
  name: string,
  where: string,
  should: boolean,
  proof: () => Promise<Proof>,
): Promise<void> {
  const { holds, was } = await proof().catch((error: unknown) => ({ holds: !should, was: String(error) }));
  if (holds === should) return;
  failed++;
  const text = JSON.stringify(was, (_, one) => (typeof one === "bigint" ? String(one) : one));
  console.log(
    `${name}: ${should ? "does not hold" : "nothing shows that it is missing"} on ${where} (${text})`,
  );
}

const healthy = await proverWithout(undefined);
const server = await startSqld();
try {
  for (const guard of chosen) {
    const { name } = guard;
    const weak = await proverWithout(guard);
    for (const [where, url] of [
      ["a file", file],
      ["a server", () => server.url],
    ] as const) {
      await look(name, where, true, () => healthy(name, url(), false));
      // A server's schema is made once: what guards it is left out on files.
      if (isOfSchema(guard) && where === "a server") continue;
      await look(name, where, false, () => weak(name, url(), true));
    }
  }
} finally {
  await server.stop();
  remove();
}
console.log(
  `${chosen.length} guards, each with two writers on a file and on a server; ${failed} without proof`,
);
process.exitCode = failed > 0 ? 1 : 0;
