import { VenueError } from "../../../kernel/errors.ts";
import { withoutSecrets } from "../../../kernel/secret-texts.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";
import { boundedText, TooLong } from "../../bounded-text.ts";
import { fieldOf, type SignedRequest } from "./ccxt.ts";
import {
  CallFailed,
  formatRefusal,
  hasForm,
  noAnswer,
  type Quirks,
  RequestNotSentError,
  TOO_LATE,
} from "./quirks.ts";

/** The runtime's fetch. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Wire {
  readonly quirks: Quirks;
  /** Base URL of requests: the exchange's, or the operator's setting. */
  readonly base: string;
  readonly fetch: Fetch;
  /** Time limit for request and response, including the response body. */
  readonly timeoutMillis: number;
  /** Maximum size of a response; undefined for the usual one. */
  readonly maxBytes?: number | undefined;
  /** Runs before each request, which is not sent if this throws. */
  readonly paid: () => Promise<void>;
  /** Evaluated in the same turn of the event loop in which the request is sent. */
  readonly mayLeave: () => boolean;
  readonly headers: () => Readonly<Record<string, string>>;
  /** Secrets that a response could repeat, such as keys; they are removed from it. */
  readonly secrets: readonly string[];
  readonly clock: () => Millis;
  /** Receives the Date header of each response, and when its request left. */
  readonly onDate: (date: string | null, leftAt: Millis) => void;
}

/** Sends a signed request; returns the status and the trimmed text of a successful response. */
export type Send = (request: SignedRequest) => Promise<{ readonly status: number; readonly text: string }>;

const readWholeAnswer = ({ onDate, maxBytes }: Wire, leftAt: Millis, signal: AbortSignal) =>
  async function reading(response: Response): Promise<{ status: number; text: string }> {
    onDate(response.headers.get("date"), leftAt);
    const { status } = response;
    // Redirects are never followed: exchanges have none, and one could lead anywhere.
    if (response.type === "opaqueredirect" || (status >= 300 && status < 400))
      throw new CallFailed(noAnswer(`the exchange returned a redirect (${status})`));
    const text = await boundedText(response, signal, maxBytes).catch(throwFailed);
    return { status, text: text.trim() };
  };

const scrubbed = (text: string, secrets: readonly string[]): string =>
  withoutSecrets(text.replace(/(signature|sign|key|secret|passphrase)=[^\s&]+/gi, "$1=…"), secrets);

/**
 * Returns the signatures of a request, which are secrets because they allow the same request again while they are
 * valid.
 */
const signaturesOf = ({ searchParams }: URL, headers: Readonly<Record<string, string>>): string[] => [
  searchParams.get("signature") ?? "",
  ...Object.entries(headers).flatMap(([name, value]) => (/sign$/i.test(name) ? [String(value)] : [])),
];

const rateLimited = (status: number) => (status === 429 ? { failure: "rate_limited" as const } : {});

/**
 * Creates ccxt's transport. ccxt's own transport fails on workerd, ends its timeout when headers arrive, and puts
 * signed URLs into errors; this one reports every failure in our own words.
 */
export const transport = (wire: Wire): Send =>
  async function send({ url, method, headers, body }) {
    const target = new URL(url);
    if (target.protocol !== "https:" || target.host !== wire.quirks.host)
      throw new RequestNotSentError(`requests to ${target.host} are not allowed`);
    const address = `${wire.base}${target.pathname}${target.search}`;
    await wire.paid();
    const signal = AbortSignal.timeout(wire.timeoutMillis);
    const request: RequestInit = {
      method,
      headers: { ...headers, ...wire.headers() },
      redirect: "manual",
      signal,
      ...(body === undefined ? {} : { body }),
    };
    if (!wire.mayLeave()) throw new RequestNotSentError(TOO_LATE);
    const { status, text } = await wire
      .fetch(address, request)
      .then(readWholeAnswer(wire, wire.clock(), signal), throwFailed);
    const secrets = [...wire.secrets, ...signaturesOf(target, request.headers as Record<string, string>)];
    const result = refusalIn({ ...wire, secrets }, { request: `${method} ${target.pathname}`, status, text });
    if (result) throw new CallFailed(result);
    return { status, text };
  };

function throwFailed(error: unknown): never {
  if (error instanceof CallFailed) throw error;
  if (error instanceof TooLong) throw new CallFailed(noAnswer("the exchange's response is too long"));
  const name = fieldOf(error, "name") ?? (error instanceof Error ? error.name : "");
  const isLate = name === "TimeoutError" || name === "AbortError";
  throw new CallFailed(
    noAnswer(isLate ? "the exchange did not answer in time" : "the connection to the exchange failed"),
  );
}

interface WholeResponse {
  /** Method and path. */
  readonly request: string;
  readonly status: number;
  readonly text: string;
}

function refusalIn({ quirks, secrets }: Wire, { request, status, text }: WholeResponse) {
  const body = parseObject(text);
  if (body === undefined)
    return {
      ...noAnswer(`the exchange's response cannot be read (status ${status})`),
      ...rateLimited(status),
      // It answered with JSON, such as null: that says nothing of the exchange's health.
      ...(status < 300 && isJson(text) ? { unreadable: true } : {}),
    };
  const refusal = quirks.refusalIn(body);
  if (refusal) {
    const message = scrubbed(refusal.message, secrets);
    const code = scrubbed(refusal.code, secrets);
    return formatRefusal({ status, code, message }, quirks.meaningOf({ status, ...refusal }));
  }
  if (status < 300)
    return hasForm(quirks.forms, request, body)
      ? undefined
      : { ...noAnswer("the exchange's response has an unknown form"), unreadable: true };
  return { ...noAnswer(`the exchange returned status ${status}`), ...rateLimited(status) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseObject(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

/** The account's lease in this process, taken by a pass or by a person's call. */
export interface AccountLease {
  /** Whether a request that leaves now will end before the lease can belong to another process. */
  readonly inTime: () => boolean;
  /** Calls of people that run under it. */
  readonly riders: Set<Promise<unknown>>;
  /** Its holder makes no further call, so no new call can use it. */
  isClosing: boolean;
}

/** Queues one account's private calls in this process: one at a time, those of people first. */
export function createLine() {
  const people: (() => void)[] = [];
  const passes: (() => void)[] = [];
  let isBusy = false;

  return {
    lease: undefined as AccountLease | undefined,
    /** A person's call that requests the lease; other calls wait for the result. */
    taking: undefined as Promise<AccountLease | undefined> | undefined,
    /** Nonces for the lease's holder and for calls under its lease. */
    nonces: { next: 0, left: 0 },

    async run<T>(who: "person" | "pass", work: () => Promise<T>): Promise<T> {
      const mine = who === "person" ? people : passes;
      if (isBusy) await new Promise<void>((go) => mine.push(go));
      isBusy = true;
      try {
        return await work();
      } finally {
        const next = people.shift() ?? passes.shift();
        if (next) next();
        else isBusy = false;
      }
    },
  };
}

export type AccountLine = ReturnType<typeof createLine>;

export const leaseUntil = (monotonic: () => Millis, last: Millis): AccountLease => ({
  inTime: () => monotonic() <= last,
  riders: new Set(),
  isClosing: false,
});

export const isUsable = (lease: AccountLease | undefined): lease is AccountLease =>
  lease !== undefined && !lease.isClosing && lease.inTime();

export interface ClockCheck {
  /** Processes the Date header of a response to a request that left at `leftAt`. */
  answered(date: string | null, leftAt: Millis): void;
  /** Throws if a clock difference would make the exchange reject or misjudge our requests. */
  refuse(): void;
}

/** Compares our clock with the exchange's. A Date header has whole seconds, at some time between request and response. */
export function clockCheck(name: string, skew: Millis, now: () => Millis): ClockCheck {
  let off: Millis = 0;
  return {
    answered(date, leftAt) {
      const value = Date.parse(date ?? "");
      if (!Number.isNaN(value)) off = Math.max(leftAt - (value + SECOND), value - now(), 0);
    },
    refuse() {
      if (off <= skew) return;
      const seconds = Math.round(off / SECOND);
      throw new VenueError(
        "unavailable",
        `this machine's clock and that of ${name} differ by ${seconds} s; synchronize this machine's clock, because no requests are sent until then`,
      );
    },
  };
}
