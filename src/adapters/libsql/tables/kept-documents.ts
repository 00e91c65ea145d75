import { decode } from "../../../kernel/codec.ts";

/** Of one column, in characters and in number: some hundred strategies, or one of the longest. */
const MOST_DOCUMENT_TEXT = 4_000_000;
const MOST_DOCUMENTS = 500;
/** A shorter one is read as quickly as it is found. */
const WORTH_KEEPING = 200;

/**
 * Reads a column's documents, and one of the same text only once: of what is read again and again most has not changed.
 * What it answers is frozen, since others are told the same.
 */
export function keptDocuments<T>(): (text: string) => T {
  const kept = new Map<string, T>();
  let held = 0;
  return (text) => {
    if (text.length < WORTH_KEEPING) return decode<T>(text);
    const known = kept.get(text);
    if (known !== undefined) {
      // Map order is insertion order: what is asked for again goes to its end.
      kept.delete(text);
      kept.set(text, known);
      return known;
    }
    const made = frozen(decode<T>(text));
    kept.set(text, made);
    held += text.length;
    for (const oldest of kept.keys()) {
      if (held <= MOST_DOCUMENT_TEXT && kept.size <= MOST_DOCUMENTS) break;
      kept.delete(oldest);
      held -= oldest.length;
    }
    return made;
  };
}

function frozen<T>(part: T): T {
  if (typeof part !== "object" || part === null) return part;
  for (const inner of Object.values(part)) frozen(inner);
  return Object.freeze(part);
}
