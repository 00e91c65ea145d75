import { textFlag } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import { SERVE_ARGS } from "./serve.ts";

const { db: _db, sandbox: _sandbox, "venue-url": _venueUrl, ...ARGS } = SERVE_ARGS;

export const demoCommand = command({
  name: "demo",
  description: "Watch a grid trade on simulated exchanges, with a new database",
  args: {
    ...ARGS,
    seconds: textFlag("Stop after this many seconds (default: run until Ctrl-C)", "number"),
  },
  run: async (values) => (await import("../actions/demo.ts")).runDemo(values),
});
