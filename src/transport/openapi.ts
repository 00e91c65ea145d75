import * as z from "zod";
import { type Operation, routeOf } from "../operation.ts";
import { FORMATS } from "./csv.ts";

const ERROR = {
  type: "object",
  required: ["error", "message", "requestId"],
  properties: {
    error: { type: "string", description: "Label" },
    message: { type: "string", description: "One sentence for a person" },
    requestId: { type: "string" },
    issues: {
      type: "array",
      items: { type: "object", properties: { path: { type: "string" }, message: { type: "string" } } },
    },
  },
} as const;

/** The OpenAPI 3.1 document of the operations; schemas are zod's own JSON Schema. */
export function openApi(operations: readonly Operation[], version: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const { method, path } = routeOf(operation);
    const key = path.replace(/:(\w+)/g, "{$1}");
    paths[key] = { ...paths[key], [method.toLowerCase()]: describe(operation, path) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "edgemaker",
      version,
      description: "One interface over four crypto exchanges, and grids that trade on them.",
    },
    servers: [{ url: "/api/v1" }],
    paths,
    components: {
      schemas: { Error: ERROR },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

function describe(operation: Operation, path: string) {
  const { name, summary, http, failure } = operation;
  const schema = schemaOf(operation.input, "input");
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, field]) => field));
  const fields = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required ?? []);
  const parameters = fields
    .filter(([field]) => inPath.has(field) || http.from === "query")
    .map(([field, form]) => ({
      name: field,
      in: inPath.has(field) ? "path" : "query",
      required: required.has(field),
      schema: form,
    }));
  return {
    operationId: name,
    summary,
    ...securityOf(operation),
    parameters: [...parameters, ...(operation.csv ? [FORMAT] : []), ...headers(operation)],
    ...(http.from === "body"
      ? { requestBody: { required: required.size > 0, content: { "application/json": { schema } } } }
      : {}),
    responses: {
      200: {
        description: "Success",
        content: {
          "application/json": { schema: schemaOf(operation.output, "output") },
          ...(operation.csv ? { "text/csv": { schema: { type: "string" } } } : {}),
        },
      },
      default: {
        description: `Failure, for example "${failure}"`,
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

const FORMAT = {
  name: "format",
  in: "query",
  required: false,
  description: "csv for a table; Accept: text/csv does the same",
  schema: { type: "string", enum: FORMATS, default: "json" },
};

function securityOf({ access, effect, knowsCaller }: Operation) {
  if (access === "token") return { security: [{ token: [] }], "x-scope": effect };
  return { security: knowsCaller ? [{}, { token: [] }] : [] };
}

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" },
});

const headers = ({ http }: Operation) => [
  ...(http.idempotent
    ? [header("Idempotency-Key", "The same key and body answer the same for a day and act once")]
    : []),
  ...(http.keys
    ? ["X-Exchange-Key", "X-Exchange-Secret", "X-Exchange-Passphrase"].map((name) =>
        header(name, "Replaces the server's keys for this request"),
      )
    : []),
];

function schemaOf(schema: z.ZodType, io: "input" | "output") {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
