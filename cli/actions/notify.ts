import { randomBytes } from "node:crypto";
import { createDeps } from "../../src/compose/deps.ts";
import { SettingsError } from "../../src/kernel/errors.ts";
import { ALERT_LEVELS, CHANNEL_KINDS } from "../../src/model/channel.ts";
import {
  CHANNEL_NAME,
  CHANNEL_NAME_FORM,
  describeChannel,
  QUIET_FORM,
  refusedSecrets,
} from "../../src/notify/channels.ts";
import { NO_MAIL } from "../../src/notify/mail.ts";
import { tellNow } from "../../src/notify/operations/channels.ts";
import { newWebhookSecret } from "../../src/notify/operations/sign.ts";
import { parseQuiet } from "../../src/notify/quiet.ts";
import { SECRETS_OF } from "../../src/notify/requests.ts";
import { createLog, nodeRuntime } from "../host/node-runtime.ts";
import { leadsInward } from "../host/outbound.ts";
import { readSecrets } from "../host/secret-input.ts";
import { readSettings } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { byCommand } from "./database/open.ts";

type Opened = Awaited<ReturnType<typeof createDeps>> & { readonly outboundHosts: readonly string[] };

/** Runs an action on the channels of a command's database and prints its result. Returns the exit code. */
async function withChannels(values: Values, act: (deps: Opened) => Promise<unknown>): Promise<number> {
  const { config, databaseUrl } = readSettings(values, process.env);
  if (config.keks.length === 0)
    throw new SettingsError(
      "EDGEMAKER_KEK is not set; it encrypts the secrets of channels. Create one with `openssl rand -base64 32`, store it outside of the database, and set it for the server too",
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
  const level = ALERT_LEVELS.find((one) => one === (values.level ?? "info"));
  if (!level) throw new UsageError(`--level must be one of ${ALERT_LEVELS.join(", ")}`);
  const quiet = values.quiet === undefined ? null : parseQuiet(String(values.quiet));
  if (quiet === undefined) throw new UsageError(`--quiet must be ${QUIET_FORM}`);
  if (!CHANNEL_NAME.test(name)) throw new UsageError(CHANNEL_NAME_FORM);
  return withChannels(values, async ({ channels, outboundHosts: hosts }) => {
    const given = await readSecrets(SECRETS_OF[kind]);
    const refused = await refusedSecrets(kind, given, { hosts, inward: leadsInward() });
    if (refused !== undefined) throw new UsageError(refused);
    const secret = kind === "webhook" ? newWebhookSecret(randomBytes(32)) : undefined;
    const secrets = { ...given, ...(secret ? { secret } : {}) };
    const added = await channels.addChannel(
      { name, kind, level, quiet, isDaily: values.daily === true },
      secrets,
      byCommand(),
    );
    if (!added)
      throw new Error(`the channel ${name} exists already; remove it first, or choose another name`);
    const next = `edgemaker notify test ${name}`;
    const note = kind === "email" ? { note: NO_MAIL } : {};
    return { channel: name, kind, level, ...(secret ? { signingSecret: secret } : {}), ...note, next };
  });
}

export const listChannels = (values: Values): Promise<number> =>
  withChannels(values, async ({ channels }) => {
    const found = await channels.channels();
    return { channels: found.map(describeChannel), count: found.length };
  });

export const testChannel = (values: Values, name: string): Promise<number> =>
  withChannels(values, async ({ notify, local, log }) => {
    if (!notify) throw noChannel(name);
    await tellNow({ notify, local, log }, name);
    return { channel: name, sent: true };
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
  new Error(`there is no channel ${name}; \`edgemaker notify list\` shows all channels`);
