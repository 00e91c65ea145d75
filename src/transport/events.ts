import type { Hono } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import * as z from "zod";
import { AppError, messageOf } from "../kernel/errors.ts";
import { lazy } from "../kernel/lazy.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import { operation } from "../operation.ts";
import type { Deps, ProcessDeps } from "../ports/deps.ts";
import type { StoreDeps } from "../ports/kind.ts";
import type { ChainedEvent } from "../ports/stores/store.ts";
import { type Access, authenticate, type Caller, callerByHash } from "./access.ts";
import { refuseUnknown, safeHeaders, type Variables } from "./http.ts";

/** Describes `GET /events` in the OpenAPI document. Its response can be a stream, so no operation serves it. */
export const describedEvents = lazy(() =>
  operation({
    name: "get_events",
    summary: "Follow events as a stream, or list those after an id",
    effect: "read",
    access: "token",
    failure: "Internal error",
    tag: { name: "Access", description: "Access and audit" },
    http: { route: "GET /events", from: "query" },
    input: () =>
      z.object({
        after: z.int().min(0).optional().describe("Only events after this id; without it, none, and `last`"),
      }),
    output: () =>
      z.object({
        events: z
          .array(
            z.object({
              id: z.number().describe("Id, in order"),
              kind: z.string().describe("Kind of event"),
              strategy: z.string().nullable().describe("Strategy id; null without one"),
              message: z.string().describe("What happened"),
              by: z.string().nullable().describe("Who did it; null if unknown"),
              timestamp: z.number().describe("Time in milliseconds"),
            }),
          )
          .describe("Oldest first, up to 200"),
        last: z.number().describe("Id of the last event: send it as `after`"),
        steppedAt: z.number().nullable().describe("Time of the last pass, in milliseconds"),
      }),
    run: async () => unserved(),
  }),
);
const unserved = (): never => {
  throw new Error("events are served by their own route");
};

/** How a platform streams responses. */
export interface Streaming {
  /** Interval of reading the log. */
  readonly every: Millis;
  /** Duration of a response, if the platform does not report that its reader has disconnected. */
  readonly life?: Millis;
}

/** Maximum number of open streams of one token in this process or isolate; a page has one per tab. */
const MAX_STREAMS_PER_TOKEN = 20;
/** Maximum of all tokens together: each stream costs memory, and time at each interval. */
const MAX_STREAMS = 200;
const HEARTBEAT: Millis = 10 * SECOND;
const EVENTS_PER_MESSAGE = 200;

/**
 * Adds `GET /events`: events as a server-sent stream, or as JSON for polling. It reads only the event log, so it
 * makes no requests to exchanges.
 */
export function mountEvents(
  app: Hono<{ Variables: Variables }>,
  { deps, access, streaming }: { deps: Deps; access: Access; streaming: Streaming },
): void {
  const pulse = sharedPulse(deps, streaming.every);
  const enter = streamsByToken(deps, { access, every: streaming.every });
  app.get("/api/v1/events", async (c) => {
    for (const [name, value] of Object.entries(safeHeaders(c.var.requestId))) c.header(name, value);
    const caller = await authenticate(c.req.header("authorization"), access, { store: deps.store, ...c.var });
    refuseUnknown(c.req.query(), Object.keys(describedEvents().input.shape));
    const requestCount = numberIn(c.req.header("last-event-id") ?? c.req.query("after"));
    if (c.req.header("accept")?.includes("text/event-stream")) {
      // Nobody reads such a stream, so nobody would end it.
      if (c.req.raw.method === "HEAD") return c.body(null, 200, { "content-type": "text/event-stream" });
      const { isOpen, close } = enter(caller);
      // A proxy that buffers a response would delay all of it.
      c.header("x-accel-buffering", "no");
      const follow = (stream: SSEStreamingApi) =>
        tellEvents(stream, { deps, pulse, streaming, caller, isOpen, after: requestCount }).finally(close);
      return streamSSE(c, follow, async (error) => deps.log("warn", messageOf(error), { stream: "events" }));
    }
    const now = await pulse();
    const etag = `W/"${now.event}-${now.steppedAt}-${requestCount ?? ""}-${caller.scope}"`;
    c.header("etag", etag);
    c.header("cache-control", "private, no-cache");
    if (c.req.header("if-none-match") === etag) return c.body(null, 304);
    const found = requestCount === undefined ? [] : await eventsBetween(deps, requestCount, now);
    const last = found.at(-1)?.id ?? now.event;
    return c.json({
      events: found.filter((event) => maySee(event, caller)).map(describeEvent),
      last,
      steppedAt: now.steppedAt,
    });
  });
}

type Pulse = Awaited<ReturnType<Deps["store"]["pulse"]>>;

/** Reads the log once for all streams. */
function sharedPulse({ store, local }: StoreDeps & ProcessDeps, every: Millis): () => Promise<Pulse> {
  let last: { readonly at: Millis; readonly read: Promise<Pulse> } | undefined;
  return () => {
    const now = local.monotonic();
    if (!last || now - last.at >= every / 2) last = { at: now, read: store.pulse() };
    return last.read;
  };
}

/** Returns events up to a pulse. A client that got a later one would be ahead of the shared pulse, and get it again. */
const eventsBetween = async (
  { store }: StoreDeps,
  after: number,
  { event }: Pulse,
): Promise<ChainedEvent[]> =>
  event > after ? (await store.eventsAfter(after, EVENTS_PER_MESSAGE)).filter(({ id }) => id <= event) : [];

/** Counts the streams of each token, and checks once per interval whether the token is still valid. */
function streamsByToken(
  { store, local }: StoreDeps & ProcessDeps,
  { access, every }: { access: Access; every: Millis },
) {
  const tokens = new Map<string, { count: number; at: Millis; isOpen: Promise<boolean> }>();
  let all = 0;
  return ({ key }: Caller) => {
    if (all >= MAX_STREAMS)
      throw new AppError(
        "Too many requests",
        `this server has ${MAX_STREAMS} open event streams; close one of them, or read the events without a stream: GET /events?after=ID`,
        { retryAfterSeconds: HEARTBEAT / SECOND },
      );
    const token = tokens.get(key) ?? { count: 0, at: local.monotonic(), isOpen: Promise.resolve(true) };
    if (token.count >= MAX_STREAMS_PER_TOKEN)
      throw new AppError(
        "Too many requests",
        `this token has ${MAX_STREAMS_PER_TOKEN} open event streams; close one of them`,
        { retryAfterSeconds: HEARTBEAT / SECOND },
      );
    all++;
    token.count++;
    tokens.set(key, token);
    return {
      isOpen: (): Promise<boolean> => {
        const now = local.monotonic();
        if (now - token.at >= every / 2) {
          token.at = now;
          token.isOpen = callerByHash(key, access, { store }).then((caller) => caller !== undefined);
        }
        return token.isOpen;
      },
      close: (): void => {
        all--;
        if (--token.count === 0) tokens.delete(key);
      },
    };
  };
}

interface Following {
  readonly deps: Deps;
  readonly pulse: () => Promise<Pulse>;
  readonly streaming: Streaming;
  readonly caller: Caller;
  /** Returns whether the caller's token is still valid. */
  readonly isOpen: () => Promise<boolean>;
  /** Id of the last event that the client has. */
  readonly after: number | undefined;
}

async function tellEvents(
  stream: SSEStreamingApi,
  { deps, pulse, streaming, caller, isOpen, after }: Following,
) {
  const { monotonic, sleep } = deps.local;
  const startedAt = monotonic();
  const isOver = () =>
    stream.aborted || (streaming.life !== undefined && monotonic() - startedAt >= streaming.life);
  let cursor = after ?? (await pulse()).event;
  let steppedAt = -1;
  let writtenAt = Number.NEGATIVE_INFINITY;
  while (!isOver() && (await isOpen())) {
    const now = await pulse();
    const events = await eventsBetween(deps, cursor, now);
    for (const event of events) if (maySee(event, caller)) await stream.writeSSE(sseOf(event));
    // A restored database can be behind what a page has received.
    cursor = events.at(-1)?.id ?? Math.min(cursor, now.event);
    const hasStepped = now.steppedAt !== steppedAt;
    if (hasStepped) await stream.writeSSE({ event: "pass", data: JSON.stringify(now) });
    else if (monotonic() - writtenAt >= HEARTBEAT) await stream.write(": \n\n");
    else if (events.length === 0) {
      await sleep(streaming.every);
      continue;
    }
    steppedAt = now.steppedAt;
    writtenAt = monotonic();
  }
}

/**
 * Returns whether the caller can read an event: events without a strategy concern tokens, limits and people, and need
 * an admin token.
 */
const maySee = ({ strategy, kind }: ChainedEvent, { scope }: Caller): boolean =>
  scope === "admin" || strategy !== null || kind === "kill";

const describeEvent = ({ id, kind, strategy, message, actor, at }: ChainedEvent) => ({
  id,
  kind,
  strategy,
  message,
  by: actor,
  timestamp: at,
});

const sseOf = (event: ChainedEvent) => ({
  id: String(event.id),
  event: "event",
  data: JSON.stringify(describeEvent(event)),
});

const numberIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number.parseInt(text, 10) : undefined;
