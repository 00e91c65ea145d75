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

/** Takes in what came with a request, bounded: fields of its query or body, and of its path. */
export function inputReader(operation: Operation): (request: HonoRequest) => Fields | Promise<Fields> {
  const { http } = operation;
  const kinds = lazy(() => fieldKinds(operation));
  const inQuery = http.from === "query";
  const inPath = http.route.includes(":");
  return function reading(request) {
    const path = inPath ? request.param() : {};
    // Fetch knows no GET with a body, and making the whole request to ask for one costs half of a short answer.
    if (request.method === "GET") return { ...(inQuery ? inTypes(kinds(), request.queries()) : {}), ...path };
    return readBody(request.raw).then((text) => {
      const [query, body] = [request.queries(), parseBody(text)];
      refuseUnread(operation, { query, body, path });
      return { ...(inQuery ? inTypes(kinds(), query) : body), ...path };
    });
  };
}

/** Stands for an error that nobody throws: to make one, and take its trace, is half of a refusal. */
class Issues {
  readonly issues: z.core.$ZodIssue[];
  constructor(issues: z.core.$ZodIssue[]) {
    this.issues = issues;
  }
}
const safeParse = _safeParse(Issues as unknown as typeof $ZodError);
const done = async () => {};

/** What the operation takes, or the answer to a form that is not its own. */
export type Validated = { readonly input: unknown } | Response;

/** The one place where input is validated. Unknown fields of a body are refused, those of a read's query ignored. */
export function inputValidator(operation: Operation, refuse: (form: RefusedForm, c: Context) => Response) {
  const schema = lazy(() => strictly(operation));
  const parse = (values: Fields) => safeParse(schema(), values) as z.ZodSafeParseResult<unknown>;
  const refused = (error: $ZodError, c: Context) => {
    const { label, message, issues } = inputRefusal(operation, error);
    return refuse({ label, message, extras: { issues } }, c);
  };
  return {
    /** Of what came with the request's first lines. It waits for nothing, so that a refusal needs no promise. */
    atOnce(c: Context, values: Fields): Validated {
      const { success, data, error } = parse(values);
      return success ? { input: data } : refused(error, c);
    },
    /** Of what a body was read for. */
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
/** Made once of an input, however often it is mounted: on Workers each request mounts all. */
function strictly({ http, input }: Operation): z.ZodType {
  if (http.from !== "body") return input;
  const strict = strictOf.get(input) ?? input.strict();
  strictOf.set(input, strict);
  return strict;
}

/** Text of a query, read into its fields' types. A repeated field is a list, and so none that a schema takes. */
function inTypes(kinds: ReturnType<typeof fieldKinds>, query: Readonly<Record<string, string[]>>): Fields {
  const values: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(kinds)) {
    const texts = query[name];
    if (texts !== undefined) values[name] = texts.length === 1 ? fromText(kind, texts[0] as string) : texts;
  }
  return values;
}

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
