import type { PositionKind } from "../../engine/operations/position-kind.ts";
import {
  readPositionExposure,
  readPositionPause,
  readPositionSale,
} from "../../limits/operations/position-reads.ts";
import { asDeclared, declaredKind } from "../kind.ts";
import { runningOut } from "../start/planned.ts";
import type { DeclaredStrategy } from "../state.ts";

/** Users' own strategies, as the operations of all kinds with one position name them. */
export const OWN_STRATEGIES: PositionKind<DeclaredStrategy, ReturnType<typeof runningOut>> = {
  name: declaredKind([]).name,
  group: "strategy",
  as: asDeclared,
  missing: (id) => `there is no strategy ${id}`,
  idle: "nothing is started",
  again: "; start it again",
  summaries: {
    stop: "Stop one of your own strategies and cancel its orders",
    pause: "Pause one of your own strategies: cancel its orders until you resume it",
    resume: "Resume one of your own strategies that is paused or in error",
  },
  resumes: { what: "place its orders again", uses: "are used" },
  example: "two-sided-kraken-BTC-USDT-1767225600000",
  requested: runningOut,
  exposures: {
    sale: readPositionSale,
    pause: readPositionPause,
    resume: (deps, strategy) => readPositionExposure(deps, strategy),
  },
  failure: ({ strategy: { state, resumes } }) =>
    state.fault?.resumes === resumes ? state.fault.message : undefined,
};
