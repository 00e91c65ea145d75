import { LOCAL_DATABASE_ARGS } from "../host/settings.ts";
import { textFlag } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";

/** Works on the database itself, whichever process serves it. */
export const auditCommand = command({
  name: "audit",
  description: "Verify, export and sign the event log",
  subCommands: {
    verify: command({
      name: "audit verify",
      description: "Check whether events were changed, deleted, moved or inserted; exit code 1 if so",
      args: LOCAL_DATABASE_ARGS,
      run: async (values) => (await import("../actions/actions.ts")).verifyEvents(values),
    }),
    export: command({
      name: "audit export",
      description: "Print every event as one line of JSON, oldest first, with the input of its hash",
      args: {
        after: textFlag("Only events after this id", "id"),
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).exportEvents(values),
    }),
    checkpoint: command({
      name: "audit checkpoint",
      description: "Sign the newest events with EDGEMAKER_KEK; older events can then be deleted",
      args: {
        "keep-days": textFlag("Delete events older than this many days (default: none)", "days"),
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).signEvents(values),
    }),
  },
});
