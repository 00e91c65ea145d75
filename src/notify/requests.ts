/** Requests for each kind of channel, as its provider documents them. */
import type { AlertLevel, ChannelKind, ChannelSecrets, Message } from "../model/channel.ts";
import type { OutboundRequest } from "../ports/outbound.ts";

/** Secrets of each kind, in the order of the prompts; optional ones end in `?`. */
export const SECRETS_OF: Readonly<Record<ChannelKind, readonly string[]>> = {
  webhook: ["url"],
  telegram: ["bot token", "chat id", "server?"],
  discord: ["url"],
  ntfy: ["url", "access token?"],
  email: ["server", "user?", "password?", "from", "to"],
};

/** Returns the address of a channel. Throws TypeError if its secrets contain no valid one. */
export function addressOf(kind: ChannelKind, secrets: ChannelSecrets): URL {
  if (kind === "email") return new URL(secrets.server ?? "");
  if (kind !== "telegram") return new URL(secrets.url ?? "");
  const server = secrets.server ?? "https://api.telegram.org";
  return new URL(`${server.replace(/\/$/, "")}/bot${secrets["bot token"] ?? ""}/sendMessage`);
}

/** Returns the request without a webhook's signature. */
export function requestOf(
  { name, kind }: { readonly name: string; readonly kind: Exclude<ChannelKind, "email"> },
  message: Message,
  secrets: ChannelSecrets,
): OutboundRequest {
  const address = addressOf(kind, secrets);
  const json = (body: object, url = address.href, headers = {}): OutboundRequest => ({
    url,
    headers: { "content-type": "application/json", "idempotency-key": message.id, ...headers },
    body: JSON.stringify(body),
  });
  if (kind === "webhook") return json({ channel: name, ...message });
  if (kind === "telegram")
    return json({
      chat_id: secrets["chat id"],
      text: messageText(message, 4096),
      disable_notification: message.level === "info",
    });
  if (kind === "discord")
    return json({ content: messageText(message, 2000), allowed_mentions: { parse: [] } });
  const topic = address.pathname.slice(1);
  const token = secrets["access token"];
  return json(
    {
      topic,
      title: message.title,
      message: cut(message.lines.join("\n"), 4000),
      priority: PRIORITY[message.level],
    },
    address.origin,
    token ? { authorization: `Bearer ${token}` } : {},
  );
}

/** docs.ntfy.sh/publish#message-priority: 5 is the highest, 3 the default. */
const PRIORITY: Record<AlertLevel, number> = { info: 2, warning: 3, alert: 5 };

/**
 * Maximum lengths: Telegram accepts 4096 characters (core.telegram.org/bots/api#sendmessage), Discord 2000
 * (discord.com/developers).
 */
const messageText = ({ title, lines }: Message, most: number): string =>
  cut([title, ...lines].join("\n"), most);

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
