import type { Context, Hono } from "hono";
import { digest, keyHash } from "../kernel/digest.ts";
import { AppError } from "../kernel/errors.ts";
import { isUrgent, type Operation, routeOf } from "../operation.ts";
import type { Deps } from "../ports/deps.ts";
import type { Keys } from "../ports/venue.ts";
import { type Access, authenticate, authenticateUrgent, authorize } from "./access.ts";
import type { Admission } from "./admission.ts";
import { answerFormat, type Format, tableOf } from "./csv.ts";
import { JSON_HEADERS, SAFE_HEADERS } from "./headers.ts";
import { once } from "./idempotency.ts";
import { type Allowance, isLoopback } from "./limiter.ts";
import { type Fields, inputReader, inputValidator, type Validated } from "./request-input.ts";
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
}

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
    const { method, path } = routeOf(operation);
    const paths = [path, ...(operation.http.alias ? [operation.http.alias] : [])];
    app.on(
      [method],
      paths.map((one) => `${API}${one}`),
      serve(operation, mounting),
    );
  }
}

/**
 * Returns one function per route, because each additional middleware would cost as much as a whole public response.
 * An invalid public read is refused without a promise.
 */
function serve(operation: Operation, mounting: ServedBy): (c: Ctx) => Response | Promise<Response> {
  const isOpen = operation.access === "public" && !operation.knowsCaller;
  const read = inputReader(operation);
  const validate = inputValidator(operation, (form, c) => respond(refusal(form, c.get("requestId"))));
  const answer = answersTo(operation, mounting.deps);
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

function answersTo(operation: Operation, deps: Deps) {
  const isShared = operation.access === "public" && operation.effect === "read";
  const answer = async (c: Ctx, requestedInput: RequestFor): Promise<Response> => {
    const format = acceptedFormat(operation, c);
    const answered = await answerOperation(requestedInput, c);
    if (answered.status !== 200) return respond(answered);
    if (format === "csv") return csvOf(c, requestedInput, answered);
    if (format === "html") return page(c, operation.html?.(answered.body) ?? "");
    return respond(answered, isShared ? sharedText(answered.body as object) : undefined);
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

/** Returns method and path of each urgent operation. */
export const urgentRoutes = (operations: readonly Operation[]): readonly string[] =>
  operations
    .filter(isUrgent)
    .map(routeOf)
    .map(({ method, path }) => `${method} ${API}${path}`);

const API = "/api/v1";

/** Creates the response directly; the framework's context would check and copy its headers one by one. */
export const respond = ({ status, body, headers }: Answer, text = JSON.stringify(body)): Response =>
  new Response(text, { status, headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS });

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
    ...SAFE_HEADERS,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  });

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
    ...SAFE_HEADERS,
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${operation.name}.csv"`,
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
    ...{ requestId, actor, keys: operation.http.keys ? await headerKeys(c) : undefined },
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
