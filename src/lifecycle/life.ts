import type { Kind } from "../ports/kind.ts";
import type { StrategyLife } from "../ports/plan.ts";
import type { StrategyView } from "../ports/stores/store.ts";

/** Returns the part of a kind that the verbs use. Throws for an unknown kind. */
export type Lives = (kind: string) => StrategyLife;

/** A strategy in the form of this version, and its kind. */
export interface ReadableStrategy extends StrategyView {
  readonly kind: Kind;
}
