import { lookup } from "node:dns/promises";
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, resolve } from "node:path";
import type { RawData } from "ws";
import type { StreamPlatform } from "../../src/adapters/streams/stream-connection.ts";
import { venueStreams } from "../../src/adapters/streams/streams.ts";
import type { Config } from "../../src/compose/config.ts";
import type { Runtime } from "../../src/compose/live.ts";
import { messageOf, SettingsError } from "../../src/kernel/errors.ts";
import { plainText } from "../../src/kernel/plain-text.ts";
import { MAIL_PROTOCOLS } from "../../src/notify/mail.ts";
import { type OutboundAnswer, refusedAddress, type SendMail } from "../../src/ports/outbound.ts";
import { type Log, type LogLevel, withinTime } from "../../src/ports/within-time.ts";
import type { Database } from "../../src/storage/client/safe-client.ts";
import { keptCandles, readCoveredFile } from "./candle-sources.ts";
import { databaseFile } from "./directories.ts";
import { fileConnection, readMigrations, readNewSchema } from "./file-connection.ts";
import { killedByFile, killFileText } from "./kill-file.ts";
import { leadsInward, nodePost, refusePrivate } from "./outbound.ts";
import { loadedStrategies } from "./own-strategies.ts";
import { awakeTime, nodeLocal } from "./process/node-local.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Logs one JSON line per entry to stderr; stdout is for data. */
export const createLog =
  (least: LogLevel): Log =>
  (level, message, fields = {}) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
    process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), level, message, ...fields })}\n`);
  };

/**
 * Returns the runtime of Node: a file or a server for the database, and files for candles. Creates the file, or
 * restricts it to the owner.
 */
export function nodeRuntime(url: string, config: Config, log: Log): Runtime {
  const file = databaseFile(url);
  if (file && ownDatabase(file))
    log("warn", "other users could read the database file; now only you can", { file });
  return runtimeAsIs(url, config, log);
}

/** Does the same with a database that it leaves unchanged. */
export function runtimeAsIs(url: string, config: Config, log: Log): Runtime {
  const file = databaseFile(url);
  const client = file
    ? {
        connection: fileConnection(file),
        identity: () => identityOf(file),
      }
    : { url, authToken: config.databaseAuthToken, fetch };
  return runtimeOver(client, url, { config, log });
}

/** A client that sends nothing else in this time has lost its connection. */
const HANDSHAKE_TIMEOUT = 10_000;
/** No exchange sends larger messages; they would only fill the memory. */
const MAX_MESSAGE_BYTES = 1 << 20;

/** WebSockets of Node. The package is loaded for the first connection. */
export const nodeSockets: StreamPlatform = {
  async open(url, { opened, message, alive, closed }) {
    const { WebSocket } = await import("ws");
    const socket = new WebSocket(url, { handshakeTimeout: HANDSHAKE_TIMEOUT, maxPayload: MAX_MESSAGE_BYTES });
    socket.on("open", opened);
    socket.on("message", (data: RawData, isBinary: boolean) =>
      message(isBinary ? new Uint8Array(data as Buffer) : String(data)),
    );
    socket.on("ping", alive);
    socket.on("pong", alive);
    // An address can contain a listen key, and the message of an error the address.
    socket.on("error", (error) => closed(`connection failed: ${errorCodeOf(error)}`));
    socket.on("close", (code) => closed(`closed by the exchange (${code})`));
    return {
      send: (text) => socket.send(text, () => undefined),
      close() {
        socket.removeAllListeners();
        socket.on("error", () => undefined);
        socket.terminate();
      },
    };
  },
  // It compares this clock with the exchange's to notice a sleep.
  monotonic: awakeTime,
  every(millis, run) {
    const timer = setInterval(run, millis).unref();
    return () => clearInterval(timer);
  },
  after(millis, run) {
    const timer = setTimeout(run, millis).unref();
    return () => clearTimeout(timer);
  },
};

/** Submission ports: encrypted from the first byte, or after STARTTLS (RFC 8314). */
const PORTS = { "smtps:": 465, "smtp:": 587 } as const;

const replyAnswer = (response: string): OutboundAnswer => ({
  status: Number(response.slice(0, 3)),
  text: plainText(response.slice(4), 200),
});

const mailAccepted = ({ response }: { readonly response: string }): OutboundAnswer => replyAnswer(response);

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

/** Does the same with a temporary database in memory. */
export const runtimeInMemory = (url: string, config: Config, log: Log): Runtime =>
  runtimeOver(fileConnection(":memory:"), url, { config, log });

function runtimeOver(client: Database, url: string, { config, log }: { config: Config; log: Log }): Runtime {
  const own = loadedStrategies(config.strategies);
  return {
    client,
    log,
    definitions: own?.definitions,
    // A server runs what this process does not know, unless it is a file that has an error.
    leavesUnknown: own?.failures.length === 0,
    local: nodeLocal,
    migrations: readMigrations(),
    schema: readNewSchema(),
    mayMigrate: false,
    readCandles: readCoveredFile,
    kept: keptCandles(url, process.env),
    post: nodePost(config.outboundHosts),
    inward: leadsInward(),
    mail: sendBySmtp(config.outboundHosts),
    streams: (accessOf) => venueStreams(accessOf, nodeSockets),
    killed: killedByFile(url),
    killFile: killFileText(url),
  };
}

/** Identifies a file, so a replaced file of the same name is detected; undefined if there is none. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** Returns other users' rights to a file, in the form of `chmod`; undefined if there are none or no file. */
export function openTo(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  const isOpen = found !== undefined && process.platform !== "win32" && (found.mode & 0o077) !== 0;
  return isOpen ? (found.mode & 0o777).toString(8) : undefined;
}

/**
 * Returns the folder in which others can replace this file: its own folder if all can write, or one above it if all
 * can rename there. Undefined if there is none.
 */
export function folderOpenToAll(file: string): string | undefined {
  if (process.platform === "win32") return undefined;
  const own = dirname(resolve(file));
  for (let folder = own; ; folder = dirname(folder)) {
    const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
    // In a folder with the sticky bit, others cannot rename files, but they can create the files that SQLite looks for.
    if ((mode & 0o002) !== 0 && (folder === own || (mode & 0o1000) === 0)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Removes other users' rights to a file with secrets; returns true if they had any. Throws SettingsError if that fails. */
export function tighten(file: string): boolean {
  const mode = openTo(file);
  if (mode === undefined) return false;
  try {
    chmodSync(file, 0o600);
    return true;
  } catch (error) {
    throw new SettingsError(
      `${file} can be read by other users (mode ${mode}); run chmod 600 on it (${messageOf(error)})`,
    );
  }
}

/**
 * Restricts a database's file, and SQLite's files next to it, to the owner; creates a missing one. Never opens a file
 * that exists: when a process closes any descriptor of a file, POSIX drops all its locks on it, also those of SQLite's
 * connections. Another process would then count itself as the last one, and delete the log that this one still writes
 * to. Source: https://sqlite.org/howtocorrupt.html, section 2.2.
 */
function ownDatabase(file: string): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  createPrivate(file);
  // Files next to it got its mode at the time when they were created.
  return databaseFilesOf(file).map(tighten).includes(true);
}

function createPrivate(file: string): void {
  if (existsSync(file)) return;
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    // Another process can create it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Returns a database's file and SQLite's files next to it. */
export const databaseFilesOf = (file: string): readonly string[] =>
  ["", "-wal", "-shm"].map((end) => `${file}${end}`);

function errorCodeOf(error: Error): string {
  if ("code" in error) return String(error.code);
  return /^Unexpected server response: \d+$/.test(error.message) ? error.message : error.name;
}

async function resolvedHost(host: string, isNamed: boolean): Promise<string> {
  const found = isIP(host) ? [{ address: host }] : await lookup(host, { all: true });
  if (!isNamed) refusePrivate(host, found);
  const [first] = found;
  if (!first) throw new Error(`${host} has no address`);
  return first.address;
}

/** Converts a server's reply to a status; without a reply it is unknown whether the server has the email. */
function declined(error: Error & { readonly response?: string }): OutboundAnswer {
  if (error.response === undefined) throw error;
  return replyAnswer(error.response);
}
