import { ALERT_LEVELS, CHANNEL_KINDS } from "../../src/model/channel.ts";
import { LOCAL_DATABASE_ARGS } from "../host/settings.ts";
import { switchFlag, textFlag } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";

/** Prompts for the secrets of a channel; the other commands of channels are operations. */
export const addChannelCommand = command({
  name: "notify add",
  description: "Add a channel; prompts for its address and secrets, or reads them from a pipe",
  args: {
    name: { type: "positional", description: "Name of the channel", required: false },
    ...LOCAL_DATABASE_ARGS,
    kind: { type: "string", description: CHANNEL_KINDS.join(", "), valueHint: "kind" },
    level: textFlag(
      `Lowest level to send: ${ALERT_LEVELS.join(", ")} (default info, with every fill)`,
      "level",
    ),
    quiet: textFlag(
      'Quiet hours with alerts only, in UTC or a time zone: "22:00-07:00 Europe/Berlin"',
      "hours",
    ),
    daily: switchFlag("Also send each day's report"),
  },
  examples: [
    "edgemaker notify add phone --kind ntfy --level warning",
    "printf '%s\\n' https://hooks.example/edgemaker | edgemaker notify add ops --kind webhook",
  ],
  run: async (values) => (await import("../actions/actions.ts")).addChannel(values),
});
