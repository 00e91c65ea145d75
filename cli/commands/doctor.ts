import { DATABASE_ARGS } from "../host/settings.ts";
import { command } from "../terminal/command.ts";

export const doctorCommand = command({
  name: "doctor",
  description: "Check the runtime, settings, database, port and exchanges",
  examples: ["edgemaker doctor", "edgemaker doctor --sandbox --json"],
  args: {
    port: { type: "string", description: "Port that serve would use (default 3000)", valueHint: "number" },
    ...DATABASE_ARGS,
    db: { ...DATABASE_ARGS.db, isOnlyRead: true },
    json: { type: "boolean", description: "Print as JSON" },
  },
  run: async (values) => (await import("../actions/actions.ts")).runDoctor(values),
});
