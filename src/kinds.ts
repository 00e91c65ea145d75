import { gridKind } from "./grid/kind.ts";
import type { Kind } from "./ports/kind.ts";
import { quoteKind } from "./quote/kind.ts";

/** Every kind of strategy that this program can run. */
export const KINDS: readonly Kind[] = [gridKind, quoteKind];
