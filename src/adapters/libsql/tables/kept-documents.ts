import { decode } from "../../../kernel/codec.ts";

/** Limit of a column's cache in characters: some hundred strategies, or one of the longest. */
const MOST_DOCUMENT_TEXT = 4_000_000;
const MOST_DOCUMENTS = 500;
/** After so many reads without it, a document was replaced: each read of the strategies would have used it. */
const MOST_READS_WITHOUT = 4 * MOST_DOCUMENTS;
/** Minimum length to cache; a shorter document is parsed as quickly as it is found. */
const WORTH_KEEPING = 200;

/**
 * Parses a column's documents, and each identical text only once, because most documents do not change between reads.
 * The results are frozen, since callers share them.
 */
export function keptDocuments<T>(): (text: string) => T {
  const kept = new Map<string, { readonly document: T; usedAt: number }>();
  let [size, reads] = [0, 0];
  return (text) => {
    if (text.length < WORTH_KEEPING) return decode<T>(text);
    reads++;
    const known = kept.get(text);
    if (known !== undefined) {
      known.usedAt = reads;
      // Map order is insertion order, so a reused entry moves to the end.
      kept.delete(text);
      kept.set(text, known);
      return known.document;
    }
    const document = frozen(decode<T>(text));
    kept.set(text, { document, usedAt: reads });
    size += text.length;
    for (const [oldest, { usedAt }] of kept) {
      const fits = size <= MOST_DOCUMENT_TEXT && kept.size <= MOST_DOCUMENTS;
      if (fits && reads - usedAt <= MOST_READS_WITHOUT) break;
      kept.delete(oldest);
      size -= oldest.length;
    }
    return document;
  };
}

function frozen<T>(part: T): T {
  if (typeof part !== "object" || part === null) return part;
  for (const inner of Object.values(part)) frozen(inner);
  return Object.freeze(part);
}
