import { messageOf } from "../src/errors.ts";
import { type Operation, routeOf } from "../src/operation.ts";
import type { Answer } from "../src/transport/run.ts";

export interface Remote {
  /** The server's address, without /api/v1. */
  readonly url: string;
  readonly token: string | undefined;
}

const PATIENCE = 60_000;

/** Asks a server for an operation. Throws only when there was no answer. */
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
  const response = await fetch(address, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(inBody ? { "content-type": "application/json" } : {}),
    },
    ...(inBody ? { body: JSON.stringify(Object.fromEntries(rest)) } : {}),
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE),
  }).catch((error: unknown) => {
    throw new Error(`no answer from ${url}: ${messageOf(error)}`, { cause: error });
  });
  const body: unknown = await response.json().catch(() => {
    throw new Error(`${url} answered ${response.status} without JSON: is it an edgemaker server?`);
  });
  return { status: response.status, body };
}
