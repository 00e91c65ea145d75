import { readFileSync } from "node:fs";
import { messageOf } from "../../src/kernel/errors.ts";
import { type Operation, routeOf } from "../../src/operation.ts";
import type { Answer } from "../../src/transport/run.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { callServer } from "./call-server.ts";
import type { CliSettings } from "./settings.ts";

export interface Remote {
  /** The server's URL, without /api/v1. */
  readonly url: string;
  readonly token: string | undefined;
}

/** Returns whether the command line or the settings name a server, which can be on another machine. */
export const namesServer = ({ config }: CliSettings, values: Values): boolean =>
  values["api-url"] !== undefined || (config.apiUrl !== undefined && hereFlags(values).length === 0);

const hereFlags = (values: Values): string[] =>
  ["db", "sandbox", "seed", "venue-url"].filter((flag) => values[flag] !== undefined);

/** Returns the server that the command line or the settings name. */
export function requestRemote({ config }: CliSettings, values: Values): Remote | undefined {
  const here = hereFlags(values);
  const request = values["api-url"] as string | undefined;
  const token = tokenOf(values.token as string | undefined) ?? config.token;
  if (request !== undefined) {
    if (here.length > 0)
      throw new UsageError(
        `--api-url calls a server, and --${here[0]} uses a local database; remove one of them`,
      );
    if (!/^https?:\/\/\S+$/.test(request)) throw new UsageError("--api-url must be an http or https address");
    return { url: request, token };
  }
  if (config.apiUrl && here.length === 0) return { url: config.apiUrl, token };
  if (values.token !== undefined) throw new UsageError("--token requires --api-url");
  return undefined;
}

/** Returns the token, or reads it from its file; every user of the machine can see text on a command line. */
export function tokenOf(given: string | undefined): string | undefined {
  if (given === undefined || (given !== "-" && !given.startsWith("@"))) return given;
  const file = given === "-" ? 0 : given.slice(1);
  const where = given === "-" ? "standard input" : given.slice(1);
  try {
    const token = readFileSync(file, "utf8").trim();
    if (token !== "") return token;
  } catch (error) {
    throw new UsageError(`--token cannot be read from ${where}: ${messageOf(error)}`);
  }
  throw new UsageError(`--token: ${where} contains no token`);
}

const MAX_REQUEST_MS = 60_000;

/** Calls an operation on a server. Throws only without a response. */
export async function callRemote(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  { url, token }: Remote,
): Promise<Answer> {
  const { method, path } = routeOf(operation);
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replace(/:(\w+)/g, (_, field: string) => {
    const value = String(rest.get(field) ?? "");
    rest.delete(field);
    return encodeURIComponent(value);
  });
  const inBody = operation.http.from === "body";
  const query = inBody
    ? ""
    : new URLSearchParams([...rest].map(([field, value]) => [field, String(value)])).toString();
  const address = `${url.replace(/\/$/, "")}/api/v1${filled}${query ? `?${query}` : ""}`;
  const { status, text } = await callServer(address, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(inBody ? { "content-type": "application/json" } : {}),
    },
    body: inBody ? JSON.stringify(Object.fromEntries(rest)) : undefined,
    timeout: MAX_REQUEST_MS,
  }).catch((error: unknown) => {
    throw new Error(`no response from ${url}: ${messageOf(error)}${unsettled(operation)}`, { cause: error });
  });
  try {
    return { status, body: JSON.parse(text) as unknown };
  } catch {
    throw new Error(
      `${url} returned status ${status} without JSON; check that it is an edgemaker server${unsettled(operation)}`,
    );
  }
}

// A request can have arrived even if its response did not.
const unsettled = ({ effect }: Operation): string =>
  effect === "read" ? "" : "; the request may have taken effect, so check before you repeat it";
