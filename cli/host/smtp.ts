import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { plainText } from "../../src/kernel/plain-text.ts";
import { MAIL_PROTOCOLS } from "../../src/notify/mail.ts";
import { type OutboundAnswer, refusedAddress, type SendMail } from "../../src/ports/outbound.ts";
import { withinTime } from "../../src/ports/within-time.ts";
import { refusePrivate } from "./outbound.ts";

/** Submission ports: encrypted from the first byte, or after STARTTLS (RFC 8314). */
const PORTS = { "smtps:": 465, "smtp:": 587 } as const;

/**
 * Sends email by SMTP, and checks the address of every connection, because a name can resolve differently each time.
 * Never sends unencrypted.
 */
export const sendBySmtp =
  (named: readonly string[]): SendMail =>
  async ({ id, server, user, password, from, to, subject, text }, timeout) => {
    const url = new URL(server);
    const refused = refusedAddress(url, named, MAIL_PROTOCOLS);
    if (refused !== undefined) throw new Error(refused);
    const isNamed = named.includes(url.host);
    const protocol = url.protocol === "smtps:" ? "smtps:" : "smtp:";
    // Loaded only when email is sent.
    const { default: nodemailer } = await import("nodemailer");
    const transport = nodemailer.createTransport({
      host: await resolvedHost(url.hostname.replace(/^\[|\]$/g, ""), isNamed),
      port: url.port === "" ? PORTS[protocol] : Number(url.port),
      secure: protocol === "smtps:",
      requireTLS: protocol === "smtp:" && !isNamed,
      tls: { servername: isIP(url.hostname) ? "" : url.hostname },
      ...(user === undefined ? {} : { auth: { user, pass: password ?? "" } }),
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const messageId = `<${id}@edgemaker>`;
    const sending = transport.sendMail({ from, to, subject, text, messageId }).then(mailAccepted, declined);
    const late = () => new Error(`the mail server did not respond within ${timeout} ms`);
    return withinTime(sending, timeout, late).finally(() => transport.close());
  };

async function resolvedHost(host: string, isNamed: boolean): Promise<string> {
  const found = isIP(host) ? [{ address: host }] : await lookup(host, { all: true });
  if (!isNamed) refusePrivate(host, found);
  const [first] = found;
  if (!first) throw new Error(`${host} has no address`);
  return first.address;
}

const mailAccepted = ({ response }: { readonly response: string }): OutboundAnswer => replyAnswer(response);

/** Converts a server's reply to a status; without a reply it is unknown whether the server has the email. */
function declined(error: Error & { readonly response?: string }): OutboundAnswer {
  if (error.response === undefined) throw error;
  return replyAnswer(error.response);
}

const replyAnswer = (response: string): OutboundAnswer => ({
  status: Number(response.slice(0, 3)),
  text: plainText(response.slice(4), 200),
});
