import type { ChannelSecrets, Message } from "../model/channel.ts";
import type { Mail } from "../ports/outbound.ts";

/** What tells somebody who has no server on Node why nothing comes. */
export const NO_MAIL =
  "email can only be sent from Node; run `edgemaker serve` on this database, or use another kind of channel";

/** The same at every try: a mailbox that has had it knows it by its id. */
export const mailOf = ({ id, title, lines }: Message, secrets: ChannelSecrets): Mail => ({
  id,
  server: secrets.server ?? "",
  ...(secrets.user === undefined ? {} : { user: secrets.user, password: secrets.password ?? "" }),
  from: secrets.from ?? "",
  to: secrets.to ?? "",
  subject: title,
  text: `${lines.join("\n")}\n`,
});

/** Encrypted from the first byte, or before anything is told. */
export const MAIL_PROTOCOLS: readonly string[] = ["smtps:", "smtp:"];

/** Why a channel of these secrets could tell nobody; undefined where it could. */
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
