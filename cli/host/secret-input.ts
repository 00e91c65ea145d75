import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { StoredKeys } from "../../src/adapters/libsql/credential-store.ts";
import type { ConfiguredExchange } from "../../src/compose/config.ts";
import { VENUES } from "../../src/model/market.ts";
import { UsageError } from "../terminal/arguments.ts";

/**
 * Reads keys from the terminal without showing them, or line by line from a pipe. Never from arguments, which are in
 * the process list.
 */
export async function readKeys({ id, venue }: ConfiguredExchange): Promise<StoredKeys> {
  const names = ["API key", "secret", ...(VENUES[venue].passphrase ? ["passphrase"] : [])];
  const [key, secret, passphrase] = await askUnseen(names.map((name) => `${id} ${name}: `));
  if (!key || !secret || (names.length === 3 && !passphrase))
    throw new UsageError(`give the ${names.join(", then the ")}, one per line`);
  return { key, secret, ...(passphrase ? { passphrase } : {}) };
}

/** Reads other secrets in the same way; a name that ends in `?` is optional. */
export async function readSecrets(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const plain = names.map((name) => name.replace("?", ""));
  const answers = await askUnseen(
    plain.map((name, index) => `${name}${names[index]?.endsWith("?") ? " (may be empty)" : ""}: `),
  );
  const missing = names.find((name, index) => !name.endsWith("?") && !answers[index]);
  if (missing)
    throw new UsageError(`give the ${plain.join(", then the ")}, one per line; ${missing} is missing`);
  const given = plain.map((name, index) => [name, answers[index] ?? ""] as const);
  return Object.fromEntries(given.filter(([, text]) => text !== ""));
}

/** Asks one line per question without showing the input. */
async function askUnseen(questions: readonly string[]): Promise<string[]> {
  const isTerminal = process.stdin.isTTY === true;
  const unseen = new Writable({ write: (_part, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: unseen, terminal: isTerminal });
  const next = lines[Symbol.asyncIterator]();
  const answers: string[] = [];
  try {
    for (const question of questions) {
      if (isTerminal) process.stderr.write(question);
      const line = await next.next();
      if (isTerminal) process.stderr.write("\n");
      if (line.done) break;
      answers.push(line.value.trim());
    }
  } finally {
    lines.close();
  }
  return answers;
}
