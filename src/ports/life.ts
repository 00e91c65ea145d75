import type { Exposure } from "../model/proposal.ts";
import type { Strategy } from "../model/strategy.ts";
import type { Deps } from "./deps.ts";

/** What the verbs ask of a kind of strategy, besides what a pass asks of it. */
export interface StrategyLife {
  /** What a pause does with its open orders, unless the call says so. */
  readonly onPause: "keep" | "cancel";
  /** Returns what it can sell and buy after a resume, with a change that waits for its pass. */
  readonly readExposure: (deps: Deps, strategy: Strategy) => Promise<Exposure>;
  /** Describes what its orders can use from now on, such as "up to 500 USDT in buys". */
  readonly describeUse: (strategy: Strategy) => string;
}
