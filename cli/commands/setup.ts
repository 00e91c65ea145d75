import { DATABASE_ARGS } from "../host/settings.ts";
import { command } from "../terminal/command.ts";

const { db, "venue-url": venueUrl } = DATABASE_ARGS;

export const setupCommand = command({
  name: "setup",
  description: "Enter exchange keys, test them, and store them in a private file",
  examples: ["edgemaker setup"],
  args: { db, "venue-url": venueUrl },
  run: async (values) => (await import("../actions/setup.ts")).runSetup(values),
});
