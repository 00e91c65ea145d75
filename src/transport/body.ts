import { AppError } from "../kernel/errors.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import { canceledRequest, type HeavyCaller, type HeavyLane } from "../ports/heavy.ts";
import type { Local } from "../ports/within-time.ts";

const MAX_BODY_BYTES = 64 * 1024;
export const MAX_URL_CHARACTERS = 2048;
const MAX_JSON_DEPTH = 8;

/**
 * Returns the JSON text of a request's body; undefined without a body. Stops reading at the limit, even for chunked
 * bodies.
 */
export async function readBody(request: Request): Promise<string | undefined> {
  const { headers } = request;
  if (headers.get("content-length") === "0") return undefined;
  if (Number(headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  if (headers.has("content-length") || headers.has("transfer-encoding")) checkType(headers);
  // Node's server gives every DELETE a body stream, which is usually empty.
  const text = await readText(request);
  if (text === "") return undefined;
  checkType(headers);
  return text;
}

function checkType(headers: Headers): void {
  if (!/^application\/json\s*(;|$)/i.test(headers.get("content-type") ?? ""))
    throw new AppError("Unsupported media type", "send the body as application/json");
}

function readText(request: Request): Promise<string> {
  const { headers } = request;
  // A client that sends a length sends no more. Reading it as a stream takes Node ten times as long.
  return headers.has("content-length") && !headers.has("transfer-encoding")
    ? readWhole(request)
    : readParts(request);
}

async function readWhole(request: Request): Promise<string> {
  const text = await request.text();
  if (text.length > MAX_BODY_BYTES) throw tooLarge();
  return text;
}

async function readParts(request: Request): Promise<string> {
  const reader = request.body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > MAX_BODY_BYTES) {
      await reader.cancel().catch(() => undefined);
      throw tooLarge();
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

const tooLarge = () => new AppError("Payload too large", `a body can have at most ${MAX_BODY_BYTES} bytes`);

/** Parses a JSON object of limited depth. */
export function parseBody(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("Invalid request", "the body must be a JSON object");
  }
  if (isDeeper(value, MAX_JSON_DEPTH))
    throw new AppError("Invalid request", `the body is nested deeper than ${MAX_JSON_DEPTH} levels`);
  return value as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  try {
    // Checking each field takes several times as long as parsing; without this name, escaped or not, no field can have
    // it.
    return /__proto__|\\/.test(text) ? JSON.parse(text, refusePrototype) : JSON.parse(text);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("Invalid JSON", "the body is not valid JSON");
  }
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === "__proto__") throw new AppError("Invalid request", "unknown field: __proto__");
  return value;
}

/** Stops at the limit, because a body can have more levels than the stack has room for. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)));

/** Maximum number of waiting requests, and of one caller's, including its running one. */
const MAX_WAITING_REQUESTS = 8;
const MAX_REQUESTS_PER_CALLER = 4;
const RETRY_AFTER_SECONDS = 5;

interface WaitingTurn {
  readonly actor: string;
  readonly start: () => void;
}

/** Runs one calculation at a time in this process, and alternates between callers. */
export function createHeavyLane(): HeavyLane {
  const waiting: WaitingTurn[] = [];
  let running: string | undefined;

  function startNext(before: string | undefined): void {
    const other = waiting.findIndex(({ actor }) => actor !== before);
    const [next] = waiting.splice(Math.max(0, other), 1);
    running = next?.actor;
    next?.start();
  }

  const turn = ({ actor, signal }: HeavyCaller): Promise<void> =>
    new Promise((start, reject) => {
      const own: WaitingTurn = { actor, start };
      waiting.push(own);
      signal?.addEventListener("abort", () => {
        const index = waiting.indexOf(own);
        if (index < 0) return;
        waiting.splice(index, 1);
        reject(canceledRequest());
      });
      if (running === undefined) startNext(undefined);
    });

  return {
    async run(caller, act) {
      const { actor, signal } = caller;
      const ofCaller =
        waiting.filter((waitingTurn) => waitingTurn.actor === actor).length + (running === actor ? 1 : 0);
      if (waiting.length >= MAX_WAITING_REQUESTS || ofCaller >= MAX_REQUESTS_PER_CALLER) throw fullLane();
      if (signal?.aborted) throw canceledRequest();
      await turn(caller);
      try {
        return await act({ renew: () => undefined, share: () => 1 });
      } finally {
        startNext(actor);
      }
    },
  };
}

/** A canceled invocation of a Worker runs no more code: its slot is free after this time. */
const UNRENEWED: Millis = 10 * SECOND;

/** Runs one calculation at a time per caller, for a platform on which requests cannot wake each other. */
export function createCallerLane({ monotonic }: Pick<Local, "monotonic">): HeavyLane {
  const ends = new Map<string, Millis>();
  return {
    async run({ actor }, act) {
      if ((ends.get(actor) ?? Number.NEGATIVE_INFINITY) > monotonic()) throw fullLane();
      const renew = () => void ends.set(actor, monotonic() + UNRENEWED);
      const isActive = (end: Millis) => end > monotonic();
      const share = () => 1 / Math.max(1, [...ends.values()].filter(isActive).length);
      renew();
      try {
        return await act({ renew, share });
      } finally {
        ends.delete(actor);
      }
    },
  };
}

const fullLane = () =>
  new AppError("Too many requests", `too many calculations at once; try again in ${RETRY_AFTER_SECONDS} s`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** Maximum number of requests that start in one turn of the event loop; then new requests are read. */
const MAX_STARTS_PER_LOOP_TURN = 8;
/** After a longer turn, fewer requests start in the next one. */
const LONG_TURN: Millis = 25;

/** Returns undefined if a request can start at once, otherwise a promise to wait for. */
export type Admission = () => Promise<void> | undefined;

/**
 * Starts a few requests per turn of the event loop, in order of arrival. A file database responds within the same
 * turn, so without this, all waiting requests would be served before anything else is read.
 */
export function createAdmission({ heard, monotonic }: Pick<Local, "heard" | "monotonic">): Admission {
  if (!heard) return () => undefined;
  const waiting: (() => void)[] = [];
  let starts = MAX_STARTS_PER_LOOP_TURN;
  let started = 0;

  async function turns(hear: () => Promise<void>): Promise<void> {
    while (started > 0) {
      const since = monotonic();
      await hear();
      const isLong = monotonic() - since > LONG_TURN;
      starts = isLong ? Math.ceil(starts / 2) : Math.min(MAX_STARTS_PER_LOOP_TURN, starts * 2);
      const next = waiting.splice(0, starts);
      started = next.length;
      for (const start of next) start();
    }
  }

  return () => {
    if (started >= starts) return new Promise((start) => waiting.push(start));
    started++;
    if (started === 1) void turns(heard);
    return undefined;
  };
}
