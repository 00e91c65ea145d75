import type { CommandDef } from "citty";
import type { Operation } from "../../src/operation.ts";
import { DATABASE_ARGS } from "../host/settings.ts";
import { switchFlag, textFlag } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { CALL_ARGS, fieldArgs, PROFILE_ARGS, YES_ARGS } from "./operation.ts";

/** Command of the market-making strategy. Its flags are the fields of start_centered_grid; a profile contains lists. */
const NOT_FLAGS = { planHash: "", customSpacings: [], sizeWeights: [] };

export function tradeCommand(operations: readonly Operation[]): CommandDef {
  const start = operations.find(({ name }) => name === "start_centered_grid");
  if (!start) throw new Error("there is no operation start_centered_grid");
  return command({
    name: "trade",
    description: "Run a centered grid in this terminal, and watch it until Ctrl-C",
    examples: [
      "edgemaker trade --strategy grid --exchange kraken --symbol BTC/USDT --sandbox",
      "edgemaker trade --strategy grid --exchange kraken --symbol BTC/USDT --levels 8 --size-model pyramidal --preview",
      "edgemaker trade --strategy grid --exchange mexc --symbol ADA/USDT --grid-profile calm.json --detach",
    ],
    args: () => ({
      strategy: textFlag("grid", "name"),
      ...fieldArgs(start, NOT_FLAGS),
      ...PROFILE_ARGS,
      preview: switchFlag("Show the plan and place nothing"),
      detach: switchFlag("Start it on the running server, and return at once"),
      "tick-interval": textFlag(
        "Milliseconds between two passes, if this process runs the grid (default 5000)",
        "number",
      ),
      ...YES_ARGS,
      ...DATABASE_ARGS,
      ...CALL_ARGS,
    }),
    run: async (values) => {
      if (values.strategy !== "grid") throw new UsageError("--strategy must be grid");
      return (await import("../actions/actions.ts")).runTrade(operations, values);
    },
  });
}
