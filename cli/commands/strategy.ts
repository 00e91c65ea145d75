import { LOCAL_DATABASE_ARGS, STRATEGIES_ARG } from "../host/settings.ts";
import { command } from "../terminal/command.ts";

const FOLDER_ARGS = { ...STRATEGIES_ARG, json: LOCAL_DATABASE_ARGS.json } as const;

/** Commands for the files of the user's own strategies. The other ones of the group are operations. */
export const strategyFileCommands = {
  new: command({
    name: "strategy new",
    description: "Write the file of a new strategy, with a test",
    examples: ["edgemaker strategy new my-strategy"],
    args: {
      name: { type: "positional", description: "Name, in a-z, 0-9 and - (or --name)", required: false },
      ...FOLDER_ARGS,
    },
    run: async (values) => (await import("../actions/actions.ts")).writeStrategy(values),
  }),
  check: command({
    name: "strategy check",
    description: "Load your own strategies and check their types; exit code 1 if one has a mistake",
    examples: ["edgemaker strategy check"],
    args: FOLDER_ARGS,
    run: async (values) => (await import("../actions/actions.ts")).checkStrategies(values),
  }),
};
