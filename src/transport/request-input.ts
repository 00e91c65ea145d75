import { zValidator } from "@hono/zod-validator";
import type { Context, HonoRequest } from "hono";
import type * as z from "zod";
import { _safeParse, type $ZodError } from "zod/v4/core";
import { AppError } from "../kernel/errors.ts";
import { lazy } from "../kernel/lazy.ts";
import type { Operation } from "../operation.ts";
import { parseBody, readBody } from "./body.ts";
import { fieldKinds, fromText, inputRefusal } from "./input.ts";

export type Fields = Readonly<Record<string, unknown>>;

type RefusedForm = Pick<AppError, "label" | "message" | "extras">;

/** Returns a function that reads a request's fields from query or body and path, within limits. */
export function inputReader(operation: Operation): (request: HonoRequest) => Fields | Promise<Fields> {
  const { http } = operation;
  const kinds = lazy(() => fieldKinds(operation));
  const inQuery = http.from === "query";
  const inPath = http.route.includes(":");
  return function reading(request) {
    const path = inPath ? request.param() : {};
    // Fetch has no GET with a body, and creating the whole request to check for one takes half of a short response's
    // time.
    if (request.method === "GET") return { ...(inQuery ? inTypes(kinds(), request.queries()) : {}), ...path };
    return readBody(request.raw).then((text) => {
      const [query, body] = [request.queries(), parseBody(text)];
      refuseUnread(operation, { query, body, path });
      return { ...(inQuery ? inTypes(kinds(), query) : body), ...path };
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
export type Validated = { readonly input: unknown } | Response;

/** Validates input; the only place that does. Unknown fields of a body are rejected, those of a read's query ignored. */
export function inputValidator(operation: Operation, refuse: (form: RefusedForm, c: Context) => Response) {
  const schema = lazy(() => strictly(operation));
  const parse = (values: Fields) => safeParse(schema(), values) as z.ZodSafeParseResult<unknown>;
  const refused = (error: $ZodError, c: Context) => {
    const { label, message, issues } = inputRefusal(operation, error);
    return refuse({ label, message, extras: { issues } }, c);
  };
  return {
    /** Validates fields of the request's head without a promise, so a refusal needs none. */
    atOnce(c: Context, values: Fields): Validated {
      const { success, data, error } = parse(values);
      return success ? { input: data } : refused(error, c);
    },
    /** Validates fields of a body. */
    async ofBody(c: Context, values: Fields): Promise<Validated> {
      const check = zValidator(
        "param",
        schema(),
        (result) => (result.success ? undefined : refused(result.error, c)),
        { validationFunction: () => parse(values) },
      );
      return (await check(c as never, done)) ?? { input: c.req.valid("param" as never) };
    },
  };
}

const strictOf = new WeakMap<z.ZodObject, z.ZodType>();
/** Creates the strict schema once per input, because on Workers each request mounts all routes. */
function strictly({ http, input }: Operation): z.ZodType {
  if (http.from !== "body") return input;
  const strict = strictOf.get(input) ?? input.strict();
  strictOf.set(input, strict);
  return strict;
}

/** Parses a query's text into the fields' types. A repeated field becomes a list, which no schema accepts. */
function inTypes(kinds: ReturnType<typeof fieldKinds>, query: Readonly<Record<string, string[]>>): Fields {
  const values: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(kinds)) {
    const texts = query[name];
    if (texts !== undefined) values[name] = texts.length === 1 ? fromText(kind, texts[0] as string) : texts;
  }
  return values;
}

/** Refuses fields in a place that is not read: a misplaced dry-run flag must not trade real money. */
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
