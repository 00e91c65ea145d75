/** Sends messages from this process. */
import type { Millis } from "../kernel/time.ts";

export interface OutboundAnswer {
  readonly status: number;
  /** Start of the response text. */
  readonly text: string;
  readonly retryAfterSeconds?: number | undefined;
}

/** Sends a request. Follows no redirect, and refuses private addresses that the settings do not allow. Rejects without a response. */
export type Post = (request: OutboundRequest, timeout: Millis) => Promise<OutboundAnswer>;

export interface Mail {
  /** Unique id, the same for every attempt. */
  readonly id: string;
  /**
   * `smtps://host[:port]`, or `smtp://host[:port]`, which must switch to encryption unless the operator configured
   * the host.
   */
  readonly server: string;
  readonly user?: string;
  readonly password?: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends an email; the status is the server's reply code. Rejects without a response. */
export type SendMail = (mail: Mail, timeout: Millis) => Promise<OutboundAnswer>;

/**
 * Returns why messages to this address are forbidden; undefined if they are allowed. `named` are the hosts in the
 * operator's settings.
 */
export function refusedAddress(
  url: URL,
  named: readonly string[],
  secure: readonly string[] = ["https:"],
): string | undefined {
  if (url.username !== "" || url.password !== "") return "an address must not contain a user or password";
  if (named.includes(url.host)) return undefined;
  const advice = `to allow it, add ${url.host} to EDGEMAKER_OUTBOUND_HOSTS`;
  if (!secure.includes(url.protocol))
    return `an address must be ${secure.map((one) => one.replace(":", "")).join(" or ")}; ${advice}`;
  return isLocal(url.hostname.replace(/\.+$/, "")) ? `an address must be a public one; ${advice}` : undefined;
}

// Almost all numeric addresses in settings are private.
const isLocal = (host: string): boolean =>
  host.startsWith("[") ||
  /^[\d.]+$/.test(host) ||
  !host.includes(".") ||
  /\.(localhost|local|internal|home\.arpa)$/.test(host);

/**
 * Resolves a host name now, and returns why messages to it are forbidden; undefined if they are allowed or the name
 * does not resolve.
 */
export type LeadsInward = (host: string) => Promise<string | undefined>;

/** Reads Retry-After, which is in seconds, and returns milliseconds. */
export const secondsOf = (header: string | null | undefined): number | undefined =>
  header && /^\d{1,6}$/.test(header) ? Number(header) : undefined;

export interface OutboundRequest {
  /** HTTP method; default POST. */
  readonly method?: "GET";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
}
