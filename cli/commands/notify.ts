import { ALERT_LEVELS, CHANNEL_KINDS } from "../../src/model/channel.ts";
import { LOCAL_DATABASE_ARGS } from "../host/settings.ts";
import type { Args, Values } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import { UsageError } from "../terminal/usage-error.ts";

const ONE_CHANNEL = {
  name: { type: "positional", description: "What the channel is called", required: false },
  ...LOCAL_DATABASE_ARGS,
} as const satisfies Args;

function channelName({ name }: Values): string {
  if (name === undefined)
    throw new UsageError("name the channel, for example: edgemaker notify add phone --kind ntfy");
  return String(name);
}

const actions = () => import("../actions/actions.ts");

/** What opens a channel lives in the database, encrypted; over HTTP an administrator does the same at `/channels`. */
export const notifyCommand = command({
  name: "notify",
  description: "Where you are told what happens: fills, stops, errors, and that all is well again",
  subCommands: {
    add: command({
      name: "notify add",
      description:
        "Add a channel; its address and token are asked for at the terminal, or read as lines from a pipe, and stored encrypted with EDGEMAKER_KEK",
      args: {
        ...ONE_CHANNEL,
        kind: { type: "string", description: CHANNEL_KINDS.join(", "), valueHint: "kind" },
        level: {
          type: "string",
          description: `The least that is told: ${ALERT_LEVELS.join(", ")} (default info, which is every fill)`,
          valueHint: "level",
        },
        quiet: {
          type: "string",
          description: 'Hours in which only alerts are told, in UTC or a zone: "22:00-07:00 Europe/Berlin"',
          valueHint: "hours",
        },
        daily: { type: "boolean", description: "Tell it each day's report as well" },
      },
      examples: [
        "edgemaker notify add phone --kind ntfy --level warning",
        "printf '%s\\n' https://hooks.example/edgemaker | edgemaker notify add ops --kind webhook",
      ],
      run: async (values) => (await actions()).addChannel(values, channelName(values)),
    }),
    test: command({
      name: "notify test",
      description: "Send a channel one message now, and say what it answered",
      args: ONE_CHANNEL,
      run: async (values) => (await actions()).testChannel(values, channelName(values)),
    }),
    list: command({
      name: "notify list",
      description: "The channels, how each is doing, and what it has not taken",
      args: LOCAL_DATABASE_ARGS,
      run: async (values) => (await actions()).listChannels(values),
    }),
    replay: command({
      name: "notify replay",
      description: "Send a channel again what was given up",
      args: ONE_CHANNEL,
      run: async (values) => (await actions()).replayChannel(values, channelName(values)),
    }),
    remove: command({
      name: "notify remove",
      description: "Forget a channel and what it was told",
      args: ONE_CHANNEL,
      run: async (values) => (await actions()).removeChannel(values, channelName(values)),
    }),
  },
});
