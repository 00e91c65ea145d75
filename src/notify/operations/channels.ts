import * as z from "zod";
import { AppError, conflictOf } from "../../kernel/errors.ts";
import { convertedField, flagField, textField, wordField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { ALERT_LEVELS, CHANNEL_KINDS, type ChannelSecrets } from "../../model/channel.ts";
import { byOf } from "../../model/events.ts";
import { type Operation, operation } from "../../operation.ts";
import {
  CHANNEL_NAME,
  CHANNEL_NAME_FORM,
  type ChannelRules,
  describeChannel,
  parseQuiet,
  QUIET_FORM,
  refusedSecrets,
  secretFieldsOf,
} from "../channels.ts";
import { NO_MAIL } from "../mail.ts";
import { type DeliveryDeps, deliver, type NotifyDeps, newWebhookSecret } from "./deliver.ts";

const ChannelShape = lazy(() =>
  z.object({
    channel: z.string(),
    kind: z.enum(CHANNEL_KINDS),
    level: z.enum(ALERT_LEVELS).describe("Lowest level that is sent"),
    quiet: z.string().nullable().describe("Quiet hours: only alerts are sent"),
    daily: z.boolean().describe("true if it also gets each day's report"),
    sentAt: z.number().nullable().describe("Time of the last delivered message"),
    waiting: z.number().describe("Number of waiting messages"),
    givenUp: z.number().describe("Number of failed messages"),
    error: z.string().nullable().describe("Error of the last attempt"),
  }),
);

export const ChannelListShape = lazy(() =>
  z.object({ channels: z.array(ChannelShape()), count: z.number() }),
);

export const AddedChannelShape = lazy(() =>
  z.object({
    channel: z.string(),
    kind: z.enum(CHANNEL_KINDS),
    level: z.enum(ALERT_LEVELS),
    signingSecret: z.string().optional().describe("Secret of a webhook, for its receiver; shown once"),
  }),
);

const channelInput = () => ({
  channel: textField("Invalid request", CHANNEL_NAME, CHANNEL_NAME_FORM).describe("Name of the channel"),
});

const secret = (what: string) =>
  z
    .string({ error: "Invalid request: secrets of a channel must be text" })
    .min(1, { error: "Invalid request: remove empty fields" })
    .max(1000, { error: "Invalid request: at most 1000 characters" })
    .optional()
    .describe(`${what}; stored encrypted, never shown`);

const QUIET_ERROR = `Invalid request: quiet is ${QUIET_FORM}`;

const quiet = () =>
  convertedField(z.string({ error: QUIET_ERROR }), QUIET_ERROR, parseQuiet)
    .optional()
    .describe("Quiet hours in which only alerts are sent, in UTC or a time zone");

const addInput = lazy(() =>
  z.object({
    ...channelInput(),
    kind: wordField("Invalid request", CHANNEL_KINDS).describe(CHANNEL_KINDS.join(", ")),
    level: wordField("Invalid request", ALERT_LEVELS).default("info").describe("Lowest level that is sent"),
    quiet: quiet(),
    daily: flagField("Invalid request", "daily").default(false).describe("Also send each day's report"),
    url: secret("Address, for webhook, discord, ntfy and browser"),
    accessToken: secret("Access token, for ntfy topics that need one"),
    botToken: secret("Of telegram"),
    chatId: secret("Of telegram"),
    server: secret("Mail server for email; for telegram, only if you run your own server"),
    user: secret("For email, if its server needs it"),
    password: secret("For email, if its server needs it"),
    from: secret("Of email; for browser, the address of the page"),
    to: secret("Of email"),
    browserKey: secret("Of browser: its public key, as base64url"),
    browserSecret: secret("Of browser: its authentication secret, as base64url"),
    senderKey: secret(
      "Of browser: a P-256 public key and its private key, as base64url with a point between",
    ),
  }),
);

/** Returns the secrets in a request, by their stored names. */
async function secretsOf({ kind, ...given }: z.output<ReturnType<typeof addInput>>, rules: ChannelRules) {
  const fields = secretFieldsOf(kind);
  const texts = given as Readonly<Record<string, unknown>>;
  const missing = fields.find(({ field, isNeeded }) => isNeeded && texts[field] === undefined);
  if (missing) throw new AppError("Invalid request", `a ${kind} channel requires ${missing.field}`);
  const secrets = Object.fromEntries(
    fields.flatMap(({ name, field }) => (texts[field] === undefined ? [] : [[name, String(texts[field])]])),
  );
  const refused = await refusedSecrets(kind, secrets, rules);
  if (refused !== undefined) throw new AppError("Invalid request", refused);
  return secrets;
}

const channelsOf = ({ notify }: NotifyDeps): NonNullable<NotifyDeps["notify"]> => {
  if (!notify) throw new AppError("Not found", "alerts are not available here");
  return notify;
};

const noChannel = (name: string) =>
  new AppError("Not found", `there is no channel ${name}; \`edgemaker notify list\` shows all channels`);

const MAX_DELIVERY_ROUNDS = 30;

/** Sends a message to a channel now. Throws AppError with the response if the channel does not accept it. */
async function tellNow(deps: DeliveryDeps, name: string): Promise<void> {
  const { store } = deps.notify;
  const title = "edgemaker: this is a test";
  const lines = ["This channel gets messages about your orders."];
  const message = {
    id: deps.local.randomText(24),
    kind: "test" as const,
    level: "warning" as const,
    title,
    lines,
  };
  if (!(await store.enqueue(name, message).catch(conflictOf))) throw noChannel(name);
  for (let rounds = 0; rounds < MAX_DELIVERY_ROUNDS; rounds++) {
    await deliver(deps);
    const one = (await store.channels()).find(({ channel }) => channel.name === name);
    if (one?.channel.error)
      throw new AppError("Conflict", `${name} did not get the message: ${one.channel.error}`);
    if (one?.pending === 0) return;
    // A running server can have claimed it, or an earlier message is sent first.
    await deps.local.sleep(500);
  }
  throw new AppError("Conflict", `${name} has not received the message yet; see \`edgemaker notify list\``);
}

const ONE_CHANNEL = { positional: ["channel"], flags: { channel: "name" }, isLocal: true } as const;

const OF_CHANNELS = { effect: "admin", access: "token", failure: "Internal error" } as const;

export const channelOperations: readonly Operation[] = [
  operation({
    ...OF_CHANNELS,
    name: "list_channels",
    summary: "List alert channels with their state",
    http: { route: "GET /channels", from: "query" },
    cli: { path: "notify list", isLocal: true },
    input: () => z.object({}),
    output: ChannelListShape,
    async run(deps) {
      const channels = (await channelsOf(deps).store.channels()).map(describeChannel);
      return { channels, count: channels.length };
    },
  }),
  operation({
    ...OF_CHANNELS,
    name: "add_channel",
    summary: "Add a channel; its secrets are stored encrypted and never shown",
    http: { route: "POST /channels", from: "body" },
    input: addInput,
    output: AddedChannelShape,
    async run(deps, request, call) {
      const { store, mail, ...rules } = channelsOf(deps);
      const { channel: name, kind, level, daily } = request;
      if (kind === "email" && !mail) throw new AppError("Invalid request", NO_MAIL);
      const given = await secretsOf(request, rules);
      const random = () => crypto.getRandomValues(new Uint8Array(32));
      const signingSecret = kind === "webhook" ? newWebhookSecret(random()) : undefined;
      const secrets: ChannelSecrets = { ...given, ...(signingSecret ? { secret: signingSecret } : {}) };
      const added = await store
        .addChannel({ name, kind, level, quiet: request.quiet ?? null, isDaily: daily }, secrets, byOf(call))
        .catch(conflictOf);
      if (!added)
        throw new AppError(
          "Conflict",
          `the channel ${name} exists already; remove it, or choose another name`,
        );
      return { channel: name, kind, level, ...(signingSecret ? { signingSecret } : {}) };
    },
  }),
  operation({
    ...OF_CHANNELS,
    name: "send_to_channel",
    summary: "Send a test message to a channel, or its failed messages again",
    http: { route: "POST /channels/:channel", from: "body" },
    cli: {
      path: "notify",
      ...ONE_CHANNEL,
      words: {
        "notify test": {
          summary: "Send a test message to a channel",
          input: { send: "test" },
          fields: ["channel"],
        },
        "notify replay": {
          summary: "Send failed messages of a channel again",
          input: { send: "failed" },
          fields: ["channel"],
        },
      },
    },
    input: () =>
      z.object({
        ...channelInput(),
        send: wordField("Invalid request", ["test", "failed"]).describe(
          "test: a test message, now; failed: all failed messages, with the next messages",
        ),
      }),
    output: () =>
      z.object({ channel: z.string(), messages: z.number().describe("Number of messages that it gets") }),
    async run(deps, { channel, send }) {
      const { local, log, requests } = deps;
      const notify = channelsOf(deps);
      if (send === "test") {
        await tellNow({ notify, local, log, requests }, channel);
        return { channel, messages: 1 };
      }
      const { store } = notify;
      const all = await store.channels();
      if (!all.some((channelReport) => channelReport.channel.name === channel)) throw noChannel(channel);
      return { channel, messages: await store.replay(channel) };
    },
  }),
  operation({
    ...OF_CHANNELS,
    name: "remove_channel",
    summary: "Remove a channel and its messages",
    http: { route: "DELETE /channels/:channel", from: "query" },
    cli: { path: "notify remove", ...ONE_CHANNEL },
    input: () => z.object(channelInput()),
    output: () => z.object({ channel: z.string(), removed: z.boolean() }),
    async run(deps, { channel }, call) {
      if (!(await channelsOf(deps).store.removeChannel(channel, byOf(call)))) throw noChannel(channel);
      return { channel, removed: true };
    },
  }),
];
