import { AppError } from "../kernel/errors.ts";
import { MINUTE, type Millis, SECOND } from "../kernel/time.ts";
import type { Build } from "../ports/definition.ts";
import type { Local } from "../ports/within-time.ts";
import { type Access, checkHosts, type Limiter } from "./access.ts";
import { HEALTH, requestIdOf, VERSION_ROUTE } from "./entrance.ts";
import { REQUEST_ID, respond } from "./http.ts";

/** Maximum number of simultaneous requests in one isolate; the platform sends others to other isolates. */
const MAX_OPEN_REQUESTS = 16;
/** Refused requests return one after another, within half a minute. */
const RETURN_GAP: Millis = SECOND / 50;
const MAX_RETURN_DELAY_MS: Millis = 30 * SECOND;
/** A canceled invocation runs no more code, so it counts as open for this long. */
const COUNTED_FOR: Millis = MINUTE;

interface EdgeDoor {
  readonly access: Access;
  readonly limiter: Limiter;
  readonly local: Pick<Local, "monotonic" | "randomText">;
  /** Methods and paths of requests that stop something, and of those whose handlers apply the limits. */
  readonly exempt: readonly string[];
  readonly build: Build;
}

interface AdmittedRequest {
  /** Address of the client, set by the platform; clients cannot set it. */
  readonly address: string | undefined;
  /** Limiter for the rest of the request, which does not count the address twice. */
  readonly limiter: Limiter;
}

/**
 * Answers health checks and what was deployed, and applies a Worker's limits, before it creates the service, because that costs more than
 * most responses. Throws `Too many requests`.
 */
export function createEdgeDoor({ access, limiter, local, exempt, build }: EdgeDoor) {
  const patterns = exempt.map((route) => new RegExp(`^${route.replace(/:\w+/g, "[^/]+")}$`));
  const open = new Map<symbol, Millis>();
  const { monotonic } = local;
  const retryAfter = returnTimes();
  const counted: Limiter = (address) => ({ ...limiter(address), request: () => undefined });

  return async (
    { method, url, headers }: Pick<Request, "method" | "url" | "headers">,
    answer: (admitted: AdmittedRequest) => Promise<Response>,
  ): Promise<Response> => {
    const address = headers.get("cf-connecting-ip") ?? undefined;
    const route = `${method} ${new URL(url).pathname}`;
    if (patterns.some((pattern) => pattern.test(route))) return answer({ address, limiter });
    limiter(address).request();
    if (route === HEALTH || route === VERSION_ROUTE) {
      checkHosts({ host: headers.get("host") ?? "", origin: headers.get("origin") ?? undefined }, access);
      const body = route === VERSION_ROUTE ? build : { status: "ok", version: "edge", instance: "edge" };
      return respond({ status: 200, body }, requestIdOf(headers.get(REQUEST_ID) ?? undefined, local));
    }
    const now = monotonic();
    for (const [id, since] of open) if (now - since > COUNTED_FOR) open.delete(id);
    if (open.size >= MAX_OPEN_REQUESTS) throw busyIsolate(retryAfter(now));
    const id = Symbol();
    open.set(id, now);
    return answer({ address, limiter: counted }).finally(() => open.delete(id));
  };
}

/** Returns after how many seconds each refused request can return, so that they do not all return at once. */
function returnTimes(): (now: Millis) => number {
  let last = Number.NEGATIVE_INFINITY;
  return (now) => {
    last = Math.min(Math.max(last + RETURN_GAP, now + SECOND), now + MAX_RETURN_DELAY_MS);
    return Math.ceil((last - now) / SECOND);
  };
}

const busyIsolate = (retryAfterSeconds: number) =>
  new AppError(
    "Too many requests",
    `${MAX_OPEN_REQUESTS} requests are already open; try again in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
