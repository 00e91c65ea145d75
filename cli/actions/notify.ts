import { randomBytes } from "node:crypto";
import { ALERT_LEVELS, CHANNEL_KINDS } from "../../src/model/channel.ts";
import {
  CHANNEL_NAME,
  CHANNEL_NAME_FORM,
  parseQuiet,
  QUIET_FORM,
  refusedSecrets,
  SECRETS_OF,
} from "../../src/notify/channels.ts";
import { NO_MAIL } from "../../src/notify/mail.ts";
import { type NotifyDeps, newWebhookSecret } from "../../src/notify/operations/deliver.ts";
import { leadsInward } from "../host/outbound.ts";
import { readSecrets } from "../host/secret-input.ts";
import { readSettings } from "../host/settings.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { byCommand, withDatabase } from "./open-database.ts";
import { refuseSecondKek, withKek } from "./store-keys.ts";

/** Adds a channel with secrets from a prompt or a pipe. Returns the exit code. */
export async function addChannel(values: Values): Promise<number> {
  const channel = requestedChannel(values);
  const { name, kind, level } = channel;
  const settings = readSettings(values, process.env);
  await refuseSecondKek(settings);
  const given = await readSecrets(SECRETS_OF[kind]);
  const hosts = settings.config.outboundHosts;
  const refused = await refusedSecrets(kind, given, { hosts, inward: leadsInward() });
  if (refused !== undefined) throw new UsageError(refused);
  await withKek(settings, process.env);
  return withDatabase(values, async ({ notify }: NotifyDeps) => {
    const secret = kind === "webhook" ? newWebhookSecret(randomBytes(32)) : undefined;
    const secrets = { ...given, ...(secret ? { secret } : {}) };
    if (!(await notify?.store.addChannel(channel, secrets, byCommand())))
      throw new Error(`the channel ${name} exists already; remove it first, or choose another name`);
    const next = `edgemaker notify test ${name}`;
    const note = kind === "email" ? { note: NO_MAIL } : {};
    return { channel: name, kind, level, ...(secret ? { signingSecret: secret } : {}), ...note, next };
  });
}

function requestedChannel(values: Values) {
  if (values.name === undefined)
    throw new UsageError("name the channel, for example: edgemaker notify add phone --kind ntfy");
  const kind = CHANNEL_KINDS.find((one) => one === values.kind);
  if (!kind) throw new UsageError(`--kind must be one of ${CHANNEL_KINDS.join(", ")}`);
  const level = ALERT_LEVELS.find((one) => one === (values.level ?? "info"));
  if (!level) throw new UsageError(`--level must be one of ${ALERT_LEVELS.join(", ")}`);
  const quiet = values.quiet === undefined ? null : parseQuiet(String(values.quiet));
  if (quiet === undefined) throw new UsageError(`--quiet must be ${QUIET_FORM}`);
  const name = String(values.name);
  if (!CHANNEL_NAME.test(name)) throw new UsageError(CHANNEL_NAME_FORM);
  return { name, kind, level, quiet, isDaily: values.daily === true };
}
