/** How a message leaves this process. */
import type { Millis } from "../kernel/time.ts";

export interface OutboundAnswer {
  readonly status: number;
  /** The beginning of what it said. */
  readonly text: string;
  readonly retryAfterSeconds?: number | undefined;
}

/** Follows no redirect, and reaches no private address that the operator has not named. Rejects where there was no answer. */
export type Post = (request: OutboundRequest, timeout: Millis) => Promise<OutboundAnswer>;

/** Why nothing may be sent to this address; undefined where it may. `named` are hosts of the operator's settings. */
export function refusedAddress(url: URL, named: readonly string[]): string | undefined {
  if (url.username !== "" || url.password !== "") return "an address must carry no user or password";
  if (named.includes(url.host)) return undefined;
  const advice = `name ${url.host} in EDGEMAKER_OUTBOUND_HOSTS if it is meant`;
  if (url.protocol !== "https:") return `an address must be https; ${advice}`;
  return isLocal(url.hostname) ? `an address must be a public one; ${advice}` : undefined;
}

// Addresses in numbers are private ones, but for very few.
const isLocal = (host: string): boolean =>
  host.startsWith("[") ||
  /^[\d.]+$/.test(host) ||
  !host.includes(".") ||
  /\.(localhost|local|internal|home\.arpa)$/.test(host);

/** In milliseconds from now, from a Retry-After in seconds. */
export const secondsOf = (header: string | null | undefined): number | undefined =>
  header && /^\d{1,6}$/.test(header) ? Number(header) : undefined;

export interface OutboundRequest {
  /** POST where it is left out. */
  readonly method?: "GET";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
