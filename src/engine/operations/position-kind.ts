import type { Exposure } from "../../model/proposal.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import type { PositionStrategy } from "../position/state.ts";
import type { NamedKind } from "./views.ts";

type ReadExposure<S> = (deps: Deps, strategy: S) => Promise<Exposure>;

/** A kind whose strategies have one position, and the texts of its operations. */
export interface PositionKind<S extends PositionStrategy, Requested extends object = object>
  extends NamedKind<S> {
  /** Why nothing happens while the kill switch is on. */
  readonly idle: string;
  /** What to do instead of changing a strategy that is stopped. */
  readonly again: string;
  readonly summaries: { readonly stop: string; readonly pause: string; readonly resume: string };
  /** What a resumed strategy does with its orders and its budget. */
  readonly resumes: { readonly what: string; readonly uses: string };
  /** Id for examples. */
  readonly example: string;
  /** Returns the requested fields of a start or a running strategy. */
  readonly requested: (exchange: string, symbol: string, config: S["config"]) => Requested;
  /** Return what a stop that sells the base, a pause, and a resumed strategy can sell and buy. */
  readonly exposures: Readonly<Record<"sale" | "pause" | "resume", ReadExposure<S>>>;
  /** Returns why a resumed strategy failed again; undefined if it did not. */
  readonly failure?: (view: StrategyView<S>) => string | undefined;
}
