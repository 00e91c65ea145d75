import { ALERT_LEVELS, CHANNEL_KINDS } from "../../src/model/channel.ts";
import { LOCAL_DATABASE_ARGS } from "../host/settings.ts";
import type { Args, Values } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import { UsageError } from "../terminal/usage-error.ts";

const ONE_CHANNEL = {
  name: { type: "positional", description: "Name of the channel", required: false },
  ...LOCAL_DATABASE_ARGS,
} as const satisfies Args;

function channelName({ name }: Values): string {
  if (name === undefined)
    throw new UsageError("name the channel, for example: edgemaker notify add phone --kind ntfy");
  return String(name);
}

const actions = () => import("../actions/actions.ts");

/** Channels' secrets are stored encrypted in the database; over HTTP an administrator manages them at `/channels`. */
export const notifyCommand = command({
  name: "notify",
  description: "Send alerts to webhooks, Telegram, Discord, ntfy or email",
  subCommands: {
    add: command({
      name: "notify add",
      description: "Add a channel; prompts for its address and secrets, or reads them from a pipe",
      args: {
        ...ONE_CHANNEL,
        kind: { type: "string", description: CHANNEL_KINDS.join(", "), valueHint: "kind" },
        level: {
          type: "string",
          description: `Lowest level to send: ${ALERT_LEVELS.join(", ")} (default info, with every fill)`,
          valueHint: "level",
        },
        quiet: {
          type: "string",
          description: 'Quiet hours with alerts only, in UTC or a time zone: "22:00-07:00 Europe/Berlin"',
          valueHint: "hours",
        },
        daily: { type: "boolean", description: "Also send each day's report" },
      },
      examples: [
        "edgemaker notify add phone --kind ntfy --level warning",
        "printf '%s\\n' https://hooks.example/edgemaker | edgemaker notify add ops --kind webhook",
      ],
      run: async (values) => (await actions()).addChannel(values, channelName(values)),
    }),
    test: command({
      name: "notify test",
      description: "Send a test message to a channel",
      args: ONE_CHANNEL,
      run: async (values) => (await actions()).testChannel(values, channelName(values)),
    }),
    list: command({
      name: "notify list",
      description: "List channels with their state and failed messages",
      args: LOCAL_DATABASE_ARGS,
      run: async (values) => (await actions()).listChannels(values),
    }),
    replay: command({
      name: "notify replay",
      description: "Send failed messages of a channel again",
      args: ONE_CHANNEL,
      run: async (values) => (await actions()).replayChannel(values, channelName(values)),
    }),
    remove: command({
      name: "notify remove",
      description: "Remove a channel and its messages",
      args: ONE_CHANNEL,
      run: async (values) => (await actions()).removeChannel(values, channelName(values)),
    }),
  },
});
