import * as z from "zod";
import { runRound } from "../../engine/pass/round.ts";
import { flagField } from "../../kernel/fields.ts";
import { type Operation, operation } from "../../operation.ts";
import { RoundShape } from "../schema/schema.ts";
import { guideGrid } from "./guide.ts";
import { type PrepareStart, startGrid } from "./start.ts";
import { gridStatus, listGrids } from "./status.ts";

const tickNow = operation({
  name: "tick",
  summary: "Run one pass over every account, for your own scheduler",
  effect: "admin",
  access: "token",
  http: { route: "POST /internal/tick", from: "body" },
  cli: { path: "tick" },
  input: () =>
    z.object({
      retry: flagField("Invalid request", "retry")
        .default(false)
        .describe("Also try accounts that wait because their last passes failed"),
    }),
  output: RoundShape,
  failure: "Internal error",
  // A pass has more fields, for the process that runs it.
  run: async (deps, { retry }) => ({
    accounts: (await runRound(deps, { retries: retry })).map(({ account, outcome, message }) => ({
      account,
      outcome,
      ...(message === undefined ? {} : { message }),
    })),
  }),
});

/** Operations of grid strategies, and the one that runs a pass. */
export const gridOperations = (ids: readonly string[], prepareStart: PrepareStart): Operation[] => [
  startGrid(ids, prepareStart),
  guideGrid(ids),
  gridStatus,
  listGrids,
  tickNow,
];
