import { zValidator } from "@hono/zod-validator";
import type { Context, Hono, HonoRequest } from "hono";
import type * as z from "zod";
import { _safeParse, type $ZodError } from "zod/v4/core";
import { digest, keyHash } from "../kernel/digest.ts";
import { AppError, type Label } from "../kernel/errors.ts";
import { fieldKinds } from "../kernel/field-kinds.ts";
import { simulatedPage } from "../kernel/html.tsx";
import { lazy } from "../kernel/lazy.ts";
import { didYouMean } from "../kernel/plain-text.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import { isUrgent, type Operation, routesOf } from "../operation.ts";
import type { Deps } from "../ports/deps.ts";
import type { Keys } from "../ports/venue.ts";
import {
  type Access,
  type Allowance,
  authenticate,
  authenticateUrgent,
  authorize,
  isLoopback,
} from "./access.ts";
import { type Admission, parseBody, readBody } from "./body.ts";
import { answerFormat, type Format, formatsOf, tableOf } from "./csv.ts";
import { fromText, inputRefusal, MAX_TYPO_CHARACTERS } from "./input.ts";
import { type Answer, refusal, run } from "./run.ts";

export interface Variables {
  requestId: string;
  allowance: Allowance;
  admission: Admission;
}

interface Env {
  Variables: Variables;
}
type Ctx = Context<Env>;

interface ServedBy {
  readonly deps: Deps;
  readonly access: Access;
  /** Returns the address of the caller, if it is known. */
  readonly addressOf: (c: Context) => string | undefined;
  readonly compress?: Compress | undefined;
}

/** Compresses a text in an encoding of the request's Accept-Encoding; undefined if it accepts none. */
export type Compress = (
  text: string,
  accepted: string | undefined,
) => Promise<{ readonly body: BodyInit; readonly encoding: string } | undefined>;

/** Shorter texts are sent as they are: compression would take longer than it saves. */
const MIN_COMPRESSED_LENGTH = 16_384;

/** A request with its caller and content. */
interface RequestFor {
  readonly operation: Operation;
  readonly deps: Deps;
  readonly actor: string;
  /** Fields of its query or body, and of its path, as they were sent. */
  readonly values: Fields;
  /** The same fields parsed for the operation. */
  readonly input: unknown;
}

/** Serves the operations under /api/v1: checks token, body and input, and runs the operation. */
export function mountOperations(app: Hono<Env>, operations: readonly Operation[], mounting: ServedBy): void {
  for (const operation of operations) {
    const respond = serve(operation, mounting);
    for (const { method, path } of routesOf(operation)) app.on([method], [`${API}${path}`], respond);
  }
}

/**
 * Returns one function per route, because each additional middleware would cost as much as a whole public response.
 * An invalid public read is refused without a promise.
 */
function serve(operation: Operation, mounting: ServedBy): (c: Ctx) => Response | Promise<Response> {
  const isOpen = operation.access === "public" && !operation.knowsCaller;
  const read = inputReader(operation);
  const validate = inputValidator(operation, (form, c) => respondError(form, c.get("requestId")));
  const answer = answersTo(operation, mounting);
  const taking = (c: Ctx, actor: string): Response | Promise<Response> => {
    refuseKeys(operation, c);
    if (operation.http.isPrivate) requirePrivate(c, mounting);
    const values = read(c.req);
    if (!(values instanceof Promise))
      return answer(c, { actor, values, validated: validate.atOnce(c, values) });
    return values.then(async (all) =>
      answer(c, { actor, values: all, validated: await validate.ofBody(c, all) }),
    );
  };
  return (c) =>
    isOpen ? taking(c, "public") : actorOf(operation, c, mounting).then((actor) => taking(c, actor));
}

interface ReadForm {
  readonly actor: string;
  readonly values: Fields;
  readonly validated: Validated;
}

function answersTo(operation: Operation, { deps, compress }: ServedBy) {
  const isShared = operation.access === "public" && operation.effect === "read";
  const answer = async (c: Ctx, requestedInput: RequestFor): Promise<Response> => {
    const format = acceptedFormat(operation, c);
    const answered = await answerOperation(requestedInput, c);
    const requestId = c.get("requestId");
    if (answered.status !== 200) return respond(answered, requestId);
    if (format === "csv") return csvOf(c, requestedInput, answered);
    if (format === "html") {
      const html = operation.html?.(answered.body) ?? "";
      return page(c, isAllSimulated(deps) ? simulatedPage(html) : html);
    }
    const text = isShared ? sharedText(answered.body as object) : JSON.stringify(answered.body);
    if (!compress || operation.effect !== "read" || text.length < MIN_COMPRESSED_LENGTH)
      return respond(answered, requestId, text);
    const compressed = await compress(text, c.req.header("accept-encoding"));
    if (!compressed) return respond(answered, requestId, text);
    const headers = { ...answered.headers, "content-encoding": compressed.encoding, vary: "accept-encoding" };
    return respond({ ...answered, headers }, requestId, compressed.body);
  };
  return (c: Ctx, { actor, values, validated }: ReadForm): Response | Promise<Response> =>
    validated instanceof Response
      ? validated
      : answer(c, { operation, deps, actor, values, input: validated.input });
}

const acceptedFormat = (operation: Operation, { req }: Ctx): Format =>
  operation.csv || operation.html
    ? answerFormat(operation, { format: req.query("format"), accept: req.header("accept") })
    : "json";

const API = "/api/v1";

/** Returns method and path of each urgent operation. */
export const urgentRoutes = (operations: readonly Operation[]): readonly string[] =>
  operations
    .filter(isUrgent)
    .flatMap(routesOf)
    .map(({ method, path }) => `${method} ${API}${path}`);

export const REQUEST_ID = "x-request-id";

/** Returns headers of every response: no content sniffing, no referrer, no caching, and the request's id. */
export const safeHeaders = (requestId: string) => ({
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  [REQUEST_ID]: requestId,
});

/**
 * Creates a JSON response directly; the framework's context would check and copy its headers one by one, which takes ten
 * times as long.
 */
export const respond = (
  { status, body, headers }: Answer,
  requestId: string,
  text: BodyInit = JSON.stringify(body),
): Response =>
  new Response(text, {
    status,
    headers: { ...safeHeaders(requestId), "content-type": "application/json", ...headers },
  });

/** Creates the response of an error. */
export const respondError = (error: RefusedForm, requestId: string): Response =>
  respond(refusal(error, requestId), requestId);

const sharedTexts = new WeakMap<object, string>();
/** Returns the JSON text of a response that many callers share, cached as long as its object is. */
function sharedText(body: object): string {
  const known = sharedTexts.get(body);
  if (known !== undefined) return known;
  const text = JSON.stringify(body);
  sharedTexts.set(body, text);
  return text;
}

/** Returns an HTML page that runs no scripts and loads nothing, because its content can come from elsewhere. */
const page = (c: Ctx, html: string): Response =>
  c.body(html, 200, {
    ...safeHeaders(c.get("requestId")),
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  });

/** Returns whether all money here is simulated; a real server can also have strategies of paper trading. */
export const isAllSimulated = ({ exchanges }: Pick<Deps, "exchanges">): boolean =>
  exchanges.length > 0 && exchanges.every(({ kind }) => kind === "sandbox");

/** Reads the first page before it sends the status, and the others as the client reads them. */
function csvOf(c: Ctx, { operation, deps, actor, values, input }: RequestFor, answered: Answer): Response {
  const requestId = c.get("requestId");
  const rows = tableOf(operation, answered, {
    input: input as Fields,
    isWhole: values.limit === undefined,
    ask: async (page) => {
      await deps.local.heard?.();
      return run(operation, deps, page, { requestId, actor });
    },
  });
  const next = (answered.body as { readonly next?: string | null }).next;
  return c.body(streamed(rows), 200, {
    ...safeHeaders(requestId),
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${isAllSimulated(deps) ? "simulated-" : ""}${operation.name}.csv"`,
    ...(values.limit !== undefined && next ? { "x-next": next } : {}),
  });
}

function streamed(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

/** Refuses a request with secrets that others on its way could read. */
function requirePrivate(c: Ctx, { addressOf }: ServedBy): void {
  const isPlainBefore = c.req.header("x-forwarded-proto")?.toLowerCase() === "http";
  if (c.req.url.startsWith("https:") || (isLoopback(addressOf(c)) && !isPlainBefore)) return;
  throw new AppError(
    "Forbidden",
    "this request carries secrets: send it over https, or from the machine of the server",
  );
}

/** Returns the caller, from a token if the operation requires or uses one. */
async function actorOf(operation: Operation, c: Ctx, { deps, access }: ServedBy): Promise<string> {
  const header = c.req.header("authorization");
  if (operation.access !== "token" && header === undefined) return "public";
  const known = isUrgent(operation) ? authenticateUrgent : authenticate;
  const writes = operation.effect !== "read";
  const caller = await known(header, access, { store: deps.store, writes, ...c.var });
  authorize(caller, operation);
  return caller.actor;
}

async function answerOperation(
  { operation, deps, actor, values, input }: RequestFor,
  c: Ctx,
): Promise<Answer> {
  const requestId = c.get("requestId");
  const call = {
    requestId,
    actor,
    keys: operation.http.keys ? await headerKeys(c) : undefined,
    // Reading it creates the whole request.
    signal: operation.lane === "heavy" ? c.req.raw.signal : undefined,
  };
  const key = operation.http.idempotent ? c.req.header("idempotency-key") : undefined;
  if (key === undefined) return run(operation, deps, input, call);
  // One token with the keys of two accounts counts as two callers, so neither gets the other's response.
  const whose = call.keys ? `${actor} ${await credentialOf(call.keys)}` : actor;
  const request = { key, actor: whose, requestId, route: operation.http.route, body: JSON.stringify(values) };
  return once(deps, request, (requestKey) => run(operation, deps, input, { ...call, requestKey }));
}

/** Returns a credential of key and secret, because the key alone does not identify its owner. */
const credentialOf = ({ key, secret, passphrase = "" }: Keys): Promise<string> =>
  digest(JSON.stringify([key, secret, passphrase]));

const KEY_HEADERS = ["X-Exchange-Key", "X-Exchange-Secret", "X-Exchange-Passphrase"];

/** Refuses keys in a request for an operation that uses the server's own keys. */
function refuseKeys({ effect, http }: Operation, c: Ctx): void {
  if (effect === "read" || http.keys) return;
  const given = KEY_HEADERS.find((name) => c.req.header(name) !== undefined);
  if (given === undefined) return;
  throw new AppError(
    "Invalid request",
    `${given} works only for requests about balances or orders; this request uses the server's own keys`,
  );
}

async function headerKeys(c: Ctx): Promise<Keys | undefined> {
  const [key, secret] = [c.req.header("x-exchange-key"), c.req.header("x-exchange-secret")];
  if (key === undefined && secret === undefined) return undefined;
  if (!key || !secret)
    throw new AppError("Missing credentials", "send both X-Exchange-Key and X-Exchange-Secret");
  const hash = await keyHash(key);
  return { key, secret, passphrase: c.req.header("x-exchange-passphrase"), hash };
}

const MAX_FIRST_RESPONSE_WAIT_MS: Millis = 10 * SECOND;
const LOOKUP_INTERVAL_MS: Millis = 50;

interface Request {
  /** The Idempotency-Key as sent. */
  readonly key: string;
  readonly actor: string;
  readonly route: string;
  readonly body: string;
  readonly requestId: string;
}

/**
 * Runs a request once: the same key, token and body get the same response for a day; a second request waits for the
 * first.
 */
async function once(
  { store, local }: Pick<Deps, "store" | "local">,
  request: Request,
  act: (requestKey: string) => Promise<Answer>,
): Promise<Answer> {
  if (!/^[\x21-\x7e]{1,255}$/.test(request.key)) {
    return refusal(
      new AppError("Invalid request", "Idempotency-Key must be 1 to 255 visible characters"),
      request.requestId,
    );
  }
  const key = await digest([request.actor, request.route, request.key].join("\n"));
  const bodyHash = await digest(request.body);
  const requestedAt = local.monotonic();
  for (;;) {
    const claimed = await store.claimRequest({ key, bodyHash });
    if (claimed.state === "new") break;
    if (claimed.state === "done") return { status: claimed.status, body: JSON.parse(claimed.body) };
    if (claimed.state === "conflict")
      return conflict("this Idempotency-Key was used with another body", request);
    if (local.monotonic() - requestedAt > MAX_FIRST_RESPONSE_WAIT_MS)
      return conflict("the first request with this Idempotency-Key is still in progress", request);
    await local.sleep(LOOKUP_INTERVAL_MS);
  }
  const answer = await act(key);
  if (isRepeatable(answer.body)) await store.reopenRequest(key);
  else await store.finishRequest(key, { status: answer.status, body: JSON.stringify(answer.body) });
  return answer;
}

const conflict = (message: string, { requestId }: Request): Answer =>
  refusal(new AppError("Conflict", message), requestId);

// When the key is sent again, the order's result may be known, or the server and the exchange may be free.
const REPEATABLE: readonly unknown[] = [
  "Internal error",
  "Order unknown",
  "Too many requests",
] satisfies Label[];

const isRepeatable = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "error" in body && REPEATABLE.includes(body.error);

type Fields = Readonly<Record<string, unknown>>;

type RefusedForm = Parameters<typeof refusal>[0];

/** Returns a function that reads a request's fields from query or body and path, within limits. */
function inputReader(operation: Operation): (request: HonoRequest) => Fields | Promise<Fields> {
  const { http } = operation;
  const kinds = lazy(() => fieldKinds(operation));
  const inQuery = http.from === "query";
  const inPath = http.route.includes(":");
  const hasFormats = formatsOf(operation).length > 1;
  return function reading(request) {
    const path = inPath ? request.param() : {};
    // Fetch has no GET with a body, and creating the whole request to check for one takes half of a short response's
    // time.
    if (request.method === "GET") {
      const query = request.queries();
      if (Object.keys(path).some((name) => Object.hasOwn(query, name)))
        refuseUnread(operation, { query, body: {}, path });
      return { ...inTypes(kinds(), query, hasFormats), ...path };
    }
    return readBody(request.raw).then((text) => {
      const [query, body] = [request.queries(), parseBody(text)];
      refuseUnread(operation, { query, body, path });
      return { ...(inQuery ? inTypes(kinds(), query, hasFormats) : body), ...path };
    });
  };
}

/** Represents an error that is never thrown, because creating an error with its stack is half the cost of a refusal. */
class Issues {
  readonly issues: z.core.$ZodIssue[];
  constructor(issues: z.core.$ZodIssue[]) {
    this.issues = issues;
  }
}
const safeParse = _safeParse(Issues as unknown as typeof $ZodError);
const done = async () => {};

/** The parsed input, or the error response. */
type Validated = { readonly input: unknown } | Response;

/** Validates input; the only place that does. Unknown fields are refused. */
function inputValidator(operation: Operation, refuse: (form: RefusedForm, c: Context) => Response) {
  const schema = lazy(() => strictly(operation));
  const parse = (values: Fields) => safeParse(schema(), values) as z.ZodSafeParseResult<unknown>;
  const isJson = operation.http.from === "body";
  const refused = (error: $ZodError, c: Context, values: Fields) => {
    const { label, message, issues } = inputRefusal(operation, error, isJson ? values : {});
    return refuse({ label, message, extras: { issues } }, c);
  };
  return {
    /** Validates fields of the request's head without a promise, so a refusal needs none. */
    atOnce(c: Context, values: Fields): Validated {
      const { success, data, error } = parse(values);
      return success ? { input: data } : refused(error, c, values);
    },
    /** Validates fields of a body. */
    async ofBody(c: Context, values: Fields): Promise<Validated> {
      const check = zValidator(
        "param",
        schema(),
        (result) => (result.success ? undefined : refused(result.error, c, values)),
        { validationFunction: () => parse(values) },
      );
      return (await check(c as never, done)) ?? { input: c.req.valid("param" as never) };
    },
  };
}

const strictOf = new WeakMap<z.ZodObject, z.ZodType>();
/** Creates the strict schema once per input, because on Workers each request mounts all routes. */
function strictly({ input }: Operation): z.ZodType {
  const strict = strictOf.get(input) ?? input.strict();
  strictOf.set(input, strict);
  return strict;
}

/**
 * Parses a query's text into the fields' types. A repeated field becomes a list, which no schema accepts. Unknown fields
 * stay, so the schema refuses them: a mistyped filter must not return all rows.
 */
function inTypes(
  kinds: ReturnType<typeof fieldKinds>,
  query: Readonly<Record<string, string[]>>,
  hasFormats: boolean,
): Fields {
  const values: Record<string, unknown> = {};
  for (const [name, texts] of Object.entries(query)) {
    if (hasFormats && name === "format") continue;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    values[name] = kind && texts.length === 1 ? fromText(kind, texts[0] as string) : texts;
  }
  return values;
}

/** Refuses fields in a place that is not read: a misplaced dry-run flag must not trade real money. */
function refuseUnread(
  operation: Operation,
  { query, body, path }: { readonly query: Fields; readonly body: Fields; readonly path: Fields },
): void {
  const { http, input } = operation;
  const isRead = (name: string) =>
    (http.from === "query" && Object.hasOwn(input.shape, name) && !Object.hasOwn(path, name)) ||
    (name === "format" && formatsOf(operation).length > 1);
  const unknown = { query: Object.keys(query).filter((name) => !isRead(name)) };
  const where = http.from === "body" ? "JSON body" : "query";
  refuseEach(http.from === "query" ? { ...unknown, body: Object.keys(body) } : unknown, (name) =>
    Object.hasOwn(input.shape, name)
      ? `; send it in the ${where}`
      : didYouMean(name.slice(0, MAX_TYPO_CHARACTERS), Object.keys(input.shape)),
  );
}

/** Refuses fields in the query of a route that is no operation. */
export const refuseUnknown = (query: Fields, known: readonly string[]): void =>
  refuseEach({ query: Object.keys(query).filter((name) => !known.includes(name)) }, (name) =>
    didYouMean(name.slice(0, MAX_TYPO_CHARACTERS), known),
  );

/** Refuses the fields of each place, if there are any, with advice for the first one. */
function refuseEach(
  unknown: Readonly<Record<string, readonly string[]>>,
  adviceFor: (name: string) => string,
): void {
  const issues = Object.entries(unknown).flatMap(([place, names]) =>
    names.map((name) => ({ path: name, message: `unknown field in the ${place}: ${name}` })),
  );
  const [first] = issues;
  if (!first) return;
  throw new AppError("Invalid request", `${first.message}${adviceFor(first.path)}`, { issues });
}
