/** Alert channels as users configure and see them; their secrets are stored and never shown again. */
import type { ChannelKind, ChannelSecrets } from "../model/channel.ts";
import { type LeadsInward, refusedAddress } from "../ports/outbound.ts";
import { MAIL_PROTOCOLS, mailTrouble } from "./mail.ts";
import { quietText } from "./quiet.ts";
import { addressOf, SECRETS_OF } from "./requests.ts";
import type { ChannelReport } from "./store/rows.ts";

export const CHANNEL_NAME = /^[a-z0-9][a-z0-9-]{0,30}$/;
export const CHANNEL_NAME_FORM = "a channel name must be 1 to 31 characters of a-z, 0-9 and -";
export const NO_KEK =
  "EDGEMAKER_KEK is not set; it encrypts the secrets of channels. Create one with `openssl rand -base64 32`, store it outside of the database, and set it for the server too";
export const QUIET_FORM = 'hours such as 22:00-07:00, or "22:00-07:00 Europe/Berlin"';

/** Returns a channel's status without its secrets. */
export const describeChannel = ({ channel, pending, dead }: ChannelReport) => ({
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

/** Returns the secret fields of a kind as a request names them: `bot token` is botToken. */
export const secretFieldsOf = (kind: ChannelKind): readonly SecretField[] =>
  SECRETS_OF[kind].map((text) => {
    const name = text.replace("?", "");
    return {
      name,
      isNeeded: name === text,
      field: name.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase()),
    };
  });

export interface SecretField {
  /** Name in storage and in prompts. */
  readonly name: string;
  readonly field: string;
  readonly isNeeded: boolean;
}

/** Rules for where messages can go. */
export interface ChannelRules {
  /** Hosts in the operator's settings. */
  readonly hosts: readonly string[];
  readonly inward?: LeadsInward | undefined;
}

/** Returns why these secrets are invalid for this kind; undefined if they are valid. */
export async function refusedSecrets(
  kind: ChannelKind,
  secrets: ChannelSecrets,
  { hosts, inward }: ChannelRules,
): Promise<string | undefined> {
  const url = urlOf(kind, secrets);
  if (!url)
    return kind === "email"
      ? "the server must be a complete address, for example smtps://mail.example.org"
      : "the url must be a complete address, for example https://hooks.example/edgemaker";
  const refused =
    kind === "email"
      ? (mailTrouble(secrets) ?? refusedAddress(url, hosts, MAIL_PROTOCOLS))
      : refusedAddress(url, hosts);
  return refused ?? (hosts.includes(url.host) ? undefined : inward?.(url.hostname));
}

function urlOf(kind: ChannelKind, secrets: ChannelSecrets): URL | undefined {
  try {
    return addressOf(kind, secrets);
  } catch {
    return undefined;
  }
}
