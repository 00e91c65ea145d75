import type { CommandDef } from "citty";
import type { Operation } from "../../src/operation.ts";
import { command } from "../terminal/command.ts";
import { fieldArgs, YES_ARGS } from "./operation.ts";

/** Asks for values without a flag, shows the resulting plan, and starts it. */
export const guidedCommand = (operation: Operation, operations: readonly Operation[]): CommandDef =>
  command({
    name: "grid new",
    description: "Start a grid by answering five questions",
    examples: operation.cli?.examples,
    args: () => ({ ...fieldArgs(operation), ...YES_ARGS }),
    run: async (values) => (await import("../actions/actions.ts")).runGuided(operations, values),
  });
