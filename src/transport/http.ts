import { zValidator } from "@hono/zod-validator";
import type { Context, Hono, MiddlewareHandler } from "hono";
import type * as z from "zod";
import { _safeParse, $ZodError } from "zod/v4/core";
import { digest, keyHash } from "../kernel/digest.ts";
import { AppError } from "../kernel/errors.ts";
import { lazy } from "../kernel/lazy.ts";
import { type Operation, routeOf } from "../operation.ts";
import type { Deps } from "../ports/deps.ts";
import type { Keys } from "../ports/venue.ts";
import { type Access, authenticate, authenticateUrgent, authorize } from "./access.ts";
import { parseBody, readBody } from "./body.ts";
import { answerFormat, tableOf } from "./csv.ts";
import { JSON_HEADERS, SAFE_HEADERS } from "./headers.ts";
import { once } from "./idempotency.ts";
import { fieldKinds, fromTexts, inputRefusal } from "./input.ts";
import type { Allowance } from "./limiter.ts";
import { type Answer, refusal, run } from "./run.ts";

export interface Variables {
  requestId: string;
  allowance: Allowance;
  actor: string;
  /** What came with the request: fields of its query or body, and of its path. */
  values: Record<string, unknown>;
}

interface Env {
  Variables: Variables;
}
type Ctx = Context<Env>;

/** Serves the operations under /api/v1: token, body, form of the input, and then the operation itself. */
export function mountOperations(
  app: Hono<Env>,
  operations: readonly Operation[],
  { deps, access }: { deps: Deps; access: Access },
): void {
  for (const operation of operations) {
    const { method, path } = routeOf(operation);
    const isShared = operation.access === "public" && operation.effect === "read";
    const paths = [path, ...(operation.http.alias ? [operation.http.alias] : [])];
    app.on(
      [method],
      paths.map((one) => `${API}${one}`),
      guard(operation, deps, access),
      readInput(operation),
      validate(operation),
      async (c) => {
        const format = answerFormat(operation, {
          format: c.req.query("format"),
          accept: c.req.header("accept"),
        });
        const answered = await answerOperation(operation, deps, c);
        if (answered.status !== 200) return respond(answered);
        if (format === "json")
          return respond(answered, isShared ? sharedText(answered.body as object) : undefined);
        return format === "csv"
          ? csvOf(c, operation, { deps, answered })
          : page(c, operation.html?.(answered.body) ?? "");
      },
    );
  }
}

/** Methods and paths of what must not wait for an allowance. */
export const urgentRoutes = (operations: readonly Operation[]): ReadonlySet<string> =>
  new Set(
    operations
      .filter(({ http }) => http.urgent)
      .map(routeOf)
      .map(({ method, path }) => `${method} ${API}${path}`),
  );

const API = "/api/v1";

/** The response itself: put together by the context its headers would be checked and copied one by one. */
export const respond = ({ status, body, headers }: Answer, text = JSON.stringify(body)): Response =>
  new Response(text, { status, headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS });

const sharedTexts = new WeakMap<object, string>();
/** The text of what may be told to many who ask the same: such an answer is one object for as long as it is kept. */
function sharedText(body: object): string {
  const known = sharedTexts.get(body);
  if (known !== undefined) return known;
  const text = JSON.stringify(body);
  sharedTexts.set(body, text);
  return text;
}

/** What is in it may come from elsewhere: nothing of it runs, and nothing is loaded. */
const page = (c: Ctx, html: string): Response =>
  c.body(html, 200, {
    ...SAFE_HEADERS,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  });

/** The first page is read before the status is told; the others as the client takes them. */
function csvOf(c: Ctx, operation: Operation, { deps, answered }: { deps: Deps; answered: Answer }): Response {
  const { requestId, actor, values } = c.var;
  const rows = tableOf(operation, answered, {
    input: c.req.valid("param" as never),
    isWhole: values.limit === undefined,
    ask: (input) => run(operation, deps, input, { requestId, actor }),
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

const guard = (operation: Operation, deps: Deps, access: Access): MiddlewareHandler<Env> =>
  async function guarding(c, next) {
    c.set("actor", "public");
    const header = c.req.header("authorization");
    if (operation.access === "token" || (operation.knowsCaller && header !== undefined)) {
      const known = operation.http.urgent ? authenticateUrgent : authenticate;
      const caller = await known(header, access, { store: deps.store, ...c.var });
      authorize(caller, operation);
      c.set("actor", caller.actor);
    }
    refuseKeys(operation, c);
    await next();
  };

/** Takes in what came with the request, bounded; text of a query is read into its field's type. */
function readInput(operation: Operation): MiddlewareHandler<Env> {
  const kinds = lazy(() => fieldKinds(operation));
  return async function reading(c, next) {
    // Fetch knows no GET with a body, and making the whole request to ask for one costs half of a short answer.
    const body = c.req.method === "GET" ? {} : parseBody(await readBody(c.req.raw));
    const fromBody = operation.http.from === "body";
    if (c.req.method !== "GET")
      refuseUnread(operation, { query: c.req.queries(), body, path: c.req.param() });
    const values = fromBody ? body : fromTexts(kinds(), queryFields(c));
    c.set("values", { ...values, ...c.req.param() });
    await next();
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** A write refuses what it would not read: a dry run that is asked for in the wrong place must not trade. */
function refuseUnread(
  { http, input }: Operation,
  { query, body, path }: { readonly query: Fields; readonly body: Fields; readonly path: Fields },
): void {
  const isRead = (name: string) =>
    http.from === "query" && Object.hasOwn(input.shape, name) && !Object.hasOwn(path, name);
  const unread = [
    ...Object.keys(query)
      .filter((name) => !isRead(name))
      .map((name) => ({ path: name, message: `unknown field in the query: ${name}` })),
    ...(http.from === "query" ? Object.keys(body) : []).map((name) => ({
      path: name,
      message: `unknown field in the body: ${name}`,
    })),
  ];
  const [first] = unread;
  if (!first) return;
  const where = http.from === "body" ? "JSON body" : "query";
  const advice = Object.hasOwn(input.shape, first.path) ? `; send it in the ${where}` : "";
  throw new AppError("Invalid request", `${first.message}${advice}`, { issues: unread });
}

// A repeated field is a list, and so none that a schema takes.
const queryFields = (c: Ctx): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, texts]) => [name, texts.length === 1 ? texts[0] : texts]),
  );

/** What is wrong without the trace of an error: nobody reads it, and to take it is half of a refusal. */
const safeParse = _safeParse($ZodError);

/** The one place where input is validated. Unknown fields of a body are refused, those of a read's query ignored. */
function validate(operation: Operation): MiddlewareHandler<Env> {
  const schema = lazy(
    (): z.ZodType => (operation.http.from === "body" ? operation.input.strict() : operation.input),
  );
  return function validating(c, next) {
    const check = zValidator(
      "param",
      schema(),
      (result) => {
        if (result.success) return undefined;
        const { label, message, issues } = inputRefusal(operation, result.error);
        return respond(refusal({ label, message, extras: { issues } }, c.get("requestId")));
      },
      { validationFunction: () => safeParse(schema(), c.get("values")) as z.ZodSafeParseResult<unknown> },
    );
    return check(c as never, next);
  };
}

async function answerOperation(operation: Operation, deps: Deps, c: Ctx): Promise<Answer> {
  // Each look at c.var copies all of them.
  const [requestId, actor, values] = [c.get("requestId"), c.get("actor"), c.get("values")];
  const input: unknown = c.req.valid("param" as never);
  const call = { requestId, actor, keys: operation.http.keys ? await headerKeys(c) : undefined };
  const key = operation.http.idempotent ? c.req.header("idempotency-key") : undefined;
  if (key === undefined) return run(operation, deps, input, call);
  // One token with the keys of two accounts is two callers: neither is told the other's answer.
  const whose = call.keys ? `${actor} ${await credentialOf(call.keys)}` : actor;
  const request = { key, actor: whose, requestId, route: operation.http.route, body: JSON.stringify(values) };
  return once(deps, request, (requestKey) => run(operation, deps, input, { ...call, requestKey }));
}

/** Who has the key alone is not who has its secret too. */
const credentialOf = ({ key, secret, passphrase = "" }: Keys): Promise<string> =>
  digest(JSON.stringify([key, secret, passphrase]));

const KEY_HEADERS = ["X-Exchange-Key", "X-Exchange-Secret", "X-Exchange-Passphrase"];

/** What would be done with the server's own keys must not be asked for with others. */
function refuseKeys({ effect, http }: Operation, c: Ctx): void {
  if (effect === "read" || http.keys) return;
  const given = KEY_HEADERS.find((name) => c.req.header(name) !== undefined);
  if (given === undefined) return;
  throw new AppError(
    "Invalid request",
    `${given} is for one request about balances or orders; this one would use the server's own keys`,
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
