import { sum, text } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import type { StrategyLife } from "../ports/life.ts";
import { asGrid } from "./kind.ts";
import { readResumeExposure } from "./operations/exposures.ts";

/** The life of a grid. */
export const gridLife: StrategyLife = {
  onPause: "keep",
  readExposure: (deps, strategy) => readResumeExposure(deps, asGrid(strategy)),
  describeUse(strategy) {
    const { state, symbol } = asGrid(strategy);
    return `up to ${text(sum(state.slots.map(({ size }) => size)))} ${splitPair(symbol).quote} in buys`;
  },
};
