import { DATABASE_ARGS } from "../host/settings.ts";
import { textFlag } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import { CALL_ARGS } from "./operation.ts";

export const costCommand = command({
  name: "cost",
  description: "Estimate the monthly cost of running your strategies on Workers and Turso",
  examples: ["edgemaker cost", "edgemaker cost --passes 4 --json"],
  args: {
    passes: textFlag("Passes per minute (default 1)", "number"),
    ...CALL_ARGS,
    ...DATABASE_ARGS,
  },
  run: async (values) => (await import("../actions/actions.ts")).estimateCost(values),
});
