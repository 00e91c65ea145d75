import { gridKind } from "./grid/kind.ts";
import type { Kind, Kinds } from "./ports/kind.ts";

/** Every kind of strategy that this program can run. */
export const KINDS: readonly Kind[] = [gridKind];

export const kindsOf =
  (kinds: readonly Kind[] = KINDS): Kinds =>
  (name) => {
    const kind = kinds.find((one) => one.name === name);
    if (!kind) throw new Error(`this program runs no strategy of the kind ${name}`);
    return kind;
  };
