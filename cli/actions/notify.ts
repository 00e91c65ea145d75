import { randomBytes } from "node:crypto";
import { createDeps } from "../../src/compose/deps.ts";
import { SettingsError } from "../../src/kernel/errors.ts";
import { CHANNEL_KINDS, type ChannelKind, type ChannelSecrets, LEVELS } from "../../src/model/channel.ts";
import { MAIL_PROTOCOLS, mailTrouble, NO_MAIL } from "../../src/notify/mail.ts";
import { deliver } from "../../src/notify/operations/deliver.ts";
import { newWebhookSecret } from "../../src/notify/operations/sign.ts";
import { parseQuiet, quietText } from "../../src/notify/quiet.ts";
import { addressOf, SECRETS_OF } from "../../src/notify/requests.ts";
import { refusedAddress } from "../../src/ports/outbound.ts";
import type { ChannelReport } from "../../src/ports/stores/notify-store.ts";
import { createLog, nodeLocal, nodeRuntime } from "../host/node-runtime.ts";
import { readSecrets } from "../host/secret-input.ts";
import { readSettings } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { byCommand } from "./database/open.ts";

type Opened = Awaited<ReturnType<typeof createDeps>> & { readonly outboundHosts: readonly string[] };

/** Runs something on the channels of a command's database and prints its answer. Returns the exit code. */
async function withChannels(values: Values, act: (deps: Opened) => Promise<unknown>): Promise<number> {
  const { config, databaseUrl } = readSettings(values, process.env);
  if (config.keks.length === 0)
    throw new SettingsError(
      "EDGEMAKER_KEK is not set: it encrypts what a channel is opened with; make one with `openssl rand -base64 32`, keep it apart from the database, and set it for the server too",
    );
  const deps = await createDeps(config, nodeRuntime(databaseUrl, config, createLog("error")));
  try {
    return print(values, await act({ ...deps, outboundHosts: config.outboundHosts }));
  } finally {
    deps.close();
  }
}

export async function addChannel(values: Values, name: string): Promise<number> {
  const kind = CHANNEL_KINDS.find((one) => one === values.kind);
  if (!kind) throw new UsageError(`--kind must be one of ${CHANNEL_KINDS.join(", ")}`);
  const level = LEVELS.find((one) => one === (values.level ?? "info"));
  if (!level) throw new UsageError(`--level must be one of ${LEVELS.join(", ")}`);
  const quiet = values.quiet === undefined ? null : parseQuiet(String(values.quiet));
  if (quiet === undefined)
    throw new UsageError('--quiet must be hours such as 22:00-07:00, or "22:00-07:00 Europe/Berlin"');
  if (!/^[a-z0-9][a-z0-9-]{0,30}$/.test(name))
    throw new UsageError("a channel is called by 1 to 31 of a-z, 0-9 and -");
  return withChannels(values, async ({ channels, outboundHosts }) => {
    const given = await readSecrets(SECRETS_OF[kind]);
    refuseAddress(kind, given, outboundHosts);
    const secret = kind === "webhook" ? newWebhookSecret(randomBytes(32)) : undefined;
    const secrets = { ...given, ...(secret ? { secret } : {}) };
    const added = await channels.addChannel(
      { name, kind, level, quiet, isDaily: values.daily === true },
      secrets,
      byCommand(),
    );
    if (!added)
      throw new Error(`there is a channel ${name} already: remove it first, or choose another name`);
    const next = `edgemaker notify test ${name}`;
    const note = kind === "email" ? { note: NO_MAIL } : {};
    return { channel: name, kind, level, ...(secret ? { signingSecret: secret } : {}), ...note, next };
  });
}

function refuseAddress(kind: ChannelKind, given: ChannelSecrets, named: readonly string[]): void {
  let url: URL;
  try {
    url = addressOf(kind, given);
  } catch {
    const example = kind === "email" ? "smtps://mail.example.org" : "https://hooks.example/edgemaker";
    throw new UsageError(
      `the ${kind === "email" ? "server" : "url"} must be a whole address, for example ${example}`,
    );
  }
  const trouble = kind === "email" ? mailTrouble(given) : undefined;
  const refused = trouble ?? refusedAddress(url, named, kind === "email" ? MAIL_PROTOCOLS : undefined);
  if (refused !== undefined) throw new UsageError(refused);
}

export const listChannels = (values: Values): Promise<number> =>
  withChannels(values, async ({ channels }) => {
    const found = await channels.channels();
    return { channels: found.map(shown), count: found.length };
  });

const shown = ({ channel, pending, dead }: ChannelReport) => ({
  channel: channel.name,
  kind: channel.kind,
  level: channel.level,
  quiet: channel.quiet ? quietText(channel.quiet) : null,
  daily: channel.isDaily,
  sentAt: channel.sentAt === 0 ? null : channel.sentAt,
  waiting: pending,
  givenUp: dead,
  error: channel.error,
});

const MOST_ROUNDS = 30;

export const testChannel = (values: Values, name: string): Promise<number> =>
  withChannels(values, async ({ channels, notify, local, log }) => {
    const title = "edgemaker: this is a test";
    const lines = ["You are told here what happens to your orders."];
    const message = {
      id: nodeLocal.randomText(24),
      kind: "test" as const,
      level: "warning" as const,
      title,
      lines,
    };
    if (!notify || !(await channels.enqueue(name, message))) throw noChannel(name);
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
      await deliver({ notify, local, log });
      const one = (await channels.channels()).find(({ channel }) => channel.name === name);
      if (one?.channel.error) throw new Error(`${name} was not told: ${one.channel.error}`);
      if (one?.pending === 0) return { channel: name, told: true };
      // A server that runs may have it, or a message from before goes first.
      await local.sleep(500);
    }
    throw new Error(`${name} was not told yet: \`edgemaker notify list\` says more`);
  });

export const replayChannel = (values: Values, name: string): Promise<number> =>
  withChannels(values, async ({ channels }) => {
    if (!(await channels.channels()).some(({ channel }) => channel.name === name)) throw noChannel(name);
    return { channel: name, replayed: await channels.replay(name) };
  });

export const removeChannel = (values: Values, name: string): Promise<number> =>
  withChannels(values, async ({ channels }) => {
    if (!(await channels.removeChannel(name, byCommand()))) throw noChannel(name);
    return { channel: name, removed: true };
  });

const noChannel = (name: string) =>
  new Error(`there is no channel ${name}: \`edgemaker notify list\` tells those that are`);
