import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { onTestFinished } from "vitest";

export interface Received {
  readonly user: string | undefined;
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and text, as they came. */
  readonly data: string;
}

interface Options {
  /** Who may send; nobody has to say who they are where it is left out. */
  readonly login?: { readonly user: string; readonly password: string };
  /** What a mail is answered. */
  readonly reply?: (mail: Received) => string | Promise<string>;
  /** Speaks TLS from the first byte. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Takes connections, and says nothing. */
  readonly isMute?: boolean;
}

/** A mail server on loopback that speaks as much of RFC 5321 and RFC 4954 as a sender needs. */
export async function mailServer({
  login,
  reply = () => "250 2.0.0 queued",
  tls,
  isMute = false,
}: Options = {}) {
  const mails: Received[] = [];
  const sockets = new Set<Socket>();
  const answer = async (mail: Received) => {
    mails.push(mail);
    return reply(mail);
  };
  const talk = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    if (!isMute) converse(socket, { login, take: answer });
  };
  const server = tls ? createTlsServer(tls, talk) : createServer(talk);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { mails, host, url: `${tls ? "smtps" : "smtp"}://${host}` };
}

interface Conversation {
  readonly login: Options["login"];
  readonly take: (mail: Received) => Promise<string>;
}

function converse(socket: Socket, { login, take }: Conversation): void {
  let rest = "";
  let data: string[] | undefined;
  let user: string | undefined;
  let from = "";
  let to: string[] = [];
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  const address = (argument: string): string => /<(.*)>/.exec(argument)?.[1] ?? "";
  const authenticated = (argument: string): string => {
    const [, name, password] = Buffer.from(argument.split(" ")[1] ?? "", "base64")
      .toString()
      .split("\0");
    if (name !== login?.user || password !== login?.password) return "535 5.7.8 wrong user or password";
    user = name;
    return "235 2.7.0 welcome";
  };
  const replyTo: Readonly<Record<string, (argument: string) => string>> = {
    EHLO: () => "250-mail.test greets you\r\n250 AUTH PLAIN",
    AUTH: authenticated,
    MAIL: (argument) => {
      from = address(argument);
      return login && user === undefined ? "530 5.7.0 say who you are" : "250 2.1.0 ok";
    },
    RCPT: (argument) => {
      to = [...to, address(argument)];
      return "250 2.1.5 ok";
    },
    DATA: () => {
      data = [];
      return "354 go on";
    },
    QUIT: () => "221 bye",
  };
  const hear = async (line: string) => {
    const [, verb = "", argument = ""] = /^(\w+)(?: (.*))?$/.exec(line) ?? [];
    if (data === undefined) return say(replyTo[verb.toUpperCase()]?.(argument) ?? "502 5.5.1 not known here");
    if (line !== ".") return void data.push(line.replace(/^\.\./, "."));
    const mail = { user, from, to, data: data.join("\n") };
    data = undefined;
    to = [];
    return say(await take(mail));
  };
  say("220 mail.test");
  socket.on("data", async (part) => {
    const lines = (rest + String(part)).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines) await hear(line);
  });
}
