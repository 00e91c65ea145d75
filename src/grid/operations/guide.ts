import { midOf } from "../../kernel/spread.ts";
import { type Operation, operation } from "../../operation.ts";
import { GuideShape, guideInput } from "../schema/guide.ts";
import { rangePreviewInput } from "../schema/input.ts";
import { checkStart } from "../start/check.ts";
import { guided } from "../start/guide.ts";
import { pastOut, startOf } from "../start/guide-out.ts";
import { requestedRangeOf } from "../start/requested.ts";
import { LOOKS_BACK, readLastWeek, readPast } from "./recent-candles.ts";
import { readForStart } from "./start-reading.ts";
import { plannedIn } from "./starting.ts";

/** Operation that suggests a complete start with its plan from a pair, a budget and two choices. */
export const guideGrid = (ids: readonly string[]): Operation =>
  operation({
    effect: "read",
    access: "token",
    name: "guide_grid",
    summary: "Create a plan for a grid from a pair and a budget",
    http: { route: "POST /strategy/grid/guide", from: "body" },
    cli: {
      path: "grid new",
      steps: true,
      examples: [
        "edgemaker grid new",
        "edgemaker grid new --exchange kraken --symbol BTC/USDT --budget 500 --width usual --on-leave wait --yes",
      ],
    },
    failure: "Start failed",
    input: () => guideInput(ids),
    output: GuideShape,
    run: async (deps, request, { actor }) => {
      const inputs = await readForStart(deps, request, actor);
      const candles = await readPast(deps, request, request.width);
      const { market, quote } = inputs;
      const start = startOf(request, guided(request, { market, candles, mid: midOf(quote) }));
      // Parsed like a start, so its plan is the plan of this one.
      const read = rangePreviewInput(ids).parse(start);
      const checked = checkStart(requestedRangeOf(read), { market, quote, balances: undefined });
      const week = await readLastWeek(deps, request);
      const plan = plannedIn(inputs, checked, { where: request, week });
      return {
        past: pastOut(candles, LOOKS_BACK[request.width].span),
        start: { ...start, planHash: plan.planHash },
        plan,
        next: `start_grid (POST /strategy/grid, or edgemaker grid new at a terminal) with the fields of start starts exactly this plan; 409 means that the market has moved: request a new plan`,
      };
    },
  });
