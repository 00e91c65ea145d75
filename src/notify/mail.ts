import type { ChannelSecrets, Message } from "../model/channel.ts";
import type { Mail } from "../ports/outbound.ts";

/** Error for platforms without email, such as Workers without a server on Node. */
export const NO_MAIL =
  "email can only be sent from Node; run `edgemaker serve` on this database, or use another kind of channel";

/** Returns the same email for every attempt, so a mailbox recognizes it by its id. */
export const mailOf = ({ id, title, lines }: Message, secrets: ChannelSecrets): Mail => ({
  id,
  server: secrets.server ?? "",
  ...(secrets.user === undefined ? {} : { user: secrets.user, password: secrets.password ?? "" }),
  from: secrets.from ?? "",
  to: secrets.to ?? "",
  subject: title,
  text: `${lines.join("\n")}\n`,
});

/** Protocols that are encrypted from the first byte or before any data. */
export const MAIL_PROTOCOLS: readonly string[] = ["smtps:", "smtp:"];

/** Returns why a channel with these secrets cannot send email; undefined if it can. */
export function mailTrouble({
  server = "",
  user,
  password,
  from = "",
  to = "",
}: ChannelSecrets): string | undefined {
  const wrong = [from, to].find((address) => !/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/.test(address));
  if (!MAIL_PROTOCOLS.includes(new URL(server).protocol))
    return "the server must be smtps://host, or smtp://host:587 with STARTTLS";
  if (wrong !== undefined)
    return `from and to must each be one address, for example you@example.org, not ${wrong}`;
  return (user === undefined) === (password === undefined)
    ? undefined
    : "set both user and password, or neither";
}
