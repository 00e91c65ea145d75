import type { Values } from "../terminal/arguments.ts";
import { shownUrl } from "./directories.ts";

const WHERE_FLAGS = ["sandbox", "db", "api-url"] as const;

/**
 * Returns the given flags that name a database or a server, with a leading space, for the next command that a message
 * names. Secrets are left out.
 */
export const whereFlags = (values: Values): string =>
  WHERE_FLAGS.map((flag) => {
    const value = values[flag];
    if (value === undefined || value === false) return "";
    return value === true ? ` --${flag}` : ` --${flag} ${shellWord(shownUrl(String(value)))}`;
  }).join("");

/** Quotes a word for a shell if it needs that. */
const shellWord = (word: string): string =>
  /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
