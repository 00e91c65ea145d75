import type { Kind, Kinds } from "../ports/kind.ts";

/** Returns the kinds by name. */
export const kindsOf =
  (kinds: readonly Kind[]): Kinds =>
  (name) => {
    const kind = kinds.find((kind) => kind.name === name);
    if (!kind) throw new Error(`this version of edgemaker has no strategy kind ${name}`);
    return kind;
  };
