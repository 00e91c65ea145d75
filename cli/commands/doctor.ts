import { DATABASE_ARGS } from "../host/settings.ts";
import { switchFlag, textFlag } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";

export const doctorCommand = command({
  name: "doctor",
  description: "Check the runtime, settings, database, port and exchanges",
  examples: ["edgemaker doctor", "edgemaker doctor --sandbox --json"],
  args: {
    port: textFlag("Port that serve would use (default 3000)", "number"),
    ...DATABASE_ARGS,
    db: { ...DATABASE_ARGS.db, isOnlyRead: true },
    json: switchFlag("Print as JSON"),
  },
  run: async (values) => (await import("../actions/actions.ts")).runDoctor(values),
});
