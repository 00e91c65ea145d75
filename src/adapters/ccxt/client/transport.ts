import { withoutSecrets } from "../../../kernel/secret-texts.ts";
import type { Millis } from "../../../kernel/time.ts";
import { boundedText, TooLong } from "../../bounded-text.ts";
import { fieldOf, type SignedRequest } from "./ccxt.ts";
import type { Quirks } from "./quirks.ts";
import { CallFailed, NotSent, noAnswer, TOO_LATE, tellRefusal } from "./refusals.ts";
import { hasForm } from "./response-form.ts";

/** The runtime's fetch. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Wire {
  readonly quirks: Quirks;
  /** Base URL of requests: the exchange's, or the operator's setting. */
  readonly base: string;
  readonly fetch: Fetch;
  /** Time limit for request and response, including the response body. */
  readonly timeoutMillis: number;
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

/**
 * Creates ccxt's transport. ccxt's own transport fails on workerd, ends its timeout when headers arrive, and puts
 * signed URLs into errors; this one reports every failure in our own words.
 */
export const transport = (wire: Wire): Send =>
  async function send({ url, method, headers, body }) {
    const target = new URL(url);
    if (target.protocol !== "https:" || target.host !== wire.quirks.host)
      throw new NotSent(`requests to ${target.host} are not allowed`);
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
    if (!wire.mayLeave()) throw new NotSent(TOO_LATE);
    const { status, text } = await wire
      .fetch(address, request)
      .then(readWholeAnswer(wire, wire.clock(), signal), throwFailed);
    const secrets = [...wire.secrets, ...signaturesOf(target, request.headers as Record<string, string>)];
    const result = refusalIn({ ...wire, secrets }, { request: `${method} ${target.pathname}`, status, text });
    if (result) throw new CallFailed(result);
    return { status, text };
  };

const readWholeAnswer = ({ onDate }: Wire, leftAt: Millis, signal: AbortSignal) =>
  async function reading(response: Response): Promise<{ status: number; text: string }> {
    onDate(response.headers.get("date"), leftAt);
    const { status } = response;
    // Redirects are never followed: exchanges have none, and one could lead anywhere.
    if (response.type === "opaqueredirect" || (status >= 300 && status < 400))
      throw new CallFailed(noAnswer(`the exchange returned a redirect (${status})`));
    const text = await boundedText(response, signal).catch(throwFailed);
    return { status, text: text.trim() };
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
    };
  const refusal = quirks.refusalIn(body);
  if (refusal) {
    const message = scrubbed(refusal.message, secrets);
    const code = scrubbed(refusal.code, secrets);
    return tellRefusal({ status, code, message }, quirks.meaningOf({ status, ...refusal }));
  }
  if (status < 300)
    return hasForm(quirks.forms, request, body)
      ? undefined
      : noAnswer("the exchange's response has an unknown form");
  return { ...noAnswer(`the exchange returned status ${status}`), ...rateLimited(status) };
}

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

function parseObject(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}
