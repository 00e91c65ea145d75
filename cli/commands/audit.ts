import { LOCAL_DATABASE_ARGS } from "../host/settings.ts";
import { command } from "../terminal/command.ts";

/** Of the database itself, whoever serves it. */
export const auditCommand = command({
  name: "audit",
  description: "What was done, by whom, and whether that is all of it",
  subCommands: {
    verify: command({
      name: "audit verify",
      description: "Tell whether any event was changed, deleted, moved or put in; exit 1 when one was",
      args: LOCAL_DATABASE_ARGS,
      run: async (values) => (await import("../actions/actions.ts")).verifyEvents(values),
    }),
    export: command({
      name: "audit export",
      description: "Every event as a line of JSON, oldest first, with all that its hash is of",
      args: {
        after: { type: "string", description: "Only those after this id", valueHint: "id" },
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).exportEvents(values),
    }),
    checkpoint: command({
      name: "audit checkpoint",
      description: "Sign where the events stand, with a key of EDGEMAKER_KEK; old ones may be cut off then",
      args: {
        "keep-days": {
          type: "string",
          description: "Delete events that are older (default none)",
          valueHint: "days",
        },
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).signEvents(values),
    }),
  },
});
