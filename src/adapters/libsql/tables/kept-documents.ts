import { decode } from "../../../kernel/codec.ts";

/** Limit of a column's cache in characters: some hundred strategies, or one of the longest. */
const MOST_DOCUMENT_TEXT = 4_000_000;
const MOST_DOCUMENTS = 500;
/** Minimum length to cache; a shorter document is parsed as quickly as it is found. */
const WORTH_KEEPING = 200;

/**
 * Parses a column's documents, and each identical text only once, because most documents do not change between reads.
 * The results are frozen, since callers share them.
 */
export function keptDocuments<T>(): (text: string) => T {
  const kept = new Map<string, T>();
  let size = 0;
  return (text) => {
    if (text.length < WORTH_KEEPING) return decode<T>(text);
    const known = kept.get(text);
    if (known !== undefined) {
      // Map order is insertion order, so a reused entry moves to the end.
      kept.delete(text);
      kept.set(text, known);
      return known;
    }
    const made = frozen(decode<T>(text));
    kept.set(text, made);
    size += text.length;
    for (const oldest of kept.keys()) {
      if (size <= MOST_DOCUMENT_TEXT && kept.size <= MOST_DOCUMENTS) break;
      kept.delete(oldest);
      size -= oldest.length;
    }
    return made;
  };
}

function frozen<T>(part: T): T {
  if (typeof part !== "object" || part === null) return part;
  for (const inner of Object.values(part)) frozen(inner);
  return Object.freeze(part);
}
