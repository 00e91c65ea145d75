import { pageText } from "./page-text.ts";
import { signedOut, tokenNow } from "./session.ts";

/** An error response, or a failure to reach the server. */
export class ApiError extends Error {
  readonly status: number;
  readonly label: string;
  constructor(status: number, label: string, message: string) {
    super(message);
    this.status = status;
    this.label = label;
  }
}

/** The label of an error response that is not one of the server's own, such as that of a proxy. */
const FOREIGN = "Failed";

/** Whether a write may have been carried out although it failed: the server has not responded that it was refused. */
export const isUnanswered = ({ status, label }: ApiError): boolean =>
  status === 0 || label === FOREIGN || label === "Internal error";

export interface Requested {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Calls the API; `route` is a method and a path below /api/v1. Throws ApiError. */
export async function ask<T>(route: string, request: Requested = {}): Promise<T> {
  const response = await sendRequest(route, request);
  if (!response.ok) throw await errorOf(response);
  const text = await response.text().catch(lost(request.signal));
  try {
    return JSON.parse(pageText(text)) as T;
  } catch {
    throw new ApiError(
      response.status,
      FOREIGN,
      "the response is not from edgemaker; check the proxy or network between",
    );
  }
}

/** Calls the API for a file. Throws ApiError. */
export async function requestFile(route: string, request: Requested): Promise<Blob> {
  const response = await sendRequest(route, request);
  if (!response.ok) throw await errorOf(response);
  return response.blob().catch(lost(request.signal));
}

/** Returns what reports a lost connection, unless the page has aborted the request itself. */
const lost = (signal: AbortSignal | undefined) => (error: unknown) => {
  if (signal?.aborted) throw error;
  throw new ApiError(0, "Server unreachable", "the server does not respond; check that it is running");
};

async function errorOf(response: Response): Promise<ApiError> {
  const answer = await response
    .text()
    .then((text) => JSON.parse(pageText(text)))
    .catch(() => undefined);
  const { error = FOREIGN, message = `the server returned status ${response.status}` } = answer ?? {};
  if (response.status === 401 && error === "Unauthorized") signedOut(message);
  return new ApiError(response.status, error, message);
}

export async function sendRequest(route: string, { query = {}, body, headers = {}, signal }: Requested) {
  const [method = "GET", path = ""] = route.split(" ");
  const token = tokenNow();
  return fetch(`api/v1${path}${queryText(query)}`, {
    method,
    cache: "no-store",
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch(lost(signal));
}

function queryText(query: NonNullable<Requested["query"]>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** Encodes a pair or an id for a path. */
export const part = (text: string): string => encodeURIComponent(text);
