import type { Kind, Kinds } from "../ports/kind.ts";

/** Kinds by their names. */
export const kindsOf =
  (kinds: readonly Kind[]): Kinds =>
  (name) => {
    const kind = kinds.find((one) => one.name === name);
    if (!kind) throw new Error(`this program runs no strategy of the kind ${name}`);
    return kind;
  };
