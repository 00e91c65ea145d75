/** A client that is generated from an OpenAPI document alone, and checks what it sends and gets against it. */
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { lazy } from "../../src/kernel/lazy.ts";
import type { Schema } from "../../src/transport/openapi-schema.ts";
import { heard } from "./heard.ts";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Schema;
}

interface Content {
  readonly "application/json": { readonly schema: Schema };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly security: readonly object[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

export interface ApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

type Input = Readonly<Record<string, unknown>>;
type Method = (input?: Input) => Promise<unknown>;
export type GeneratedClient = Readonly<Record<string, Method>>;

/** A response with an error status that the document describes. */
export class ErrorResponse extends Error {
  readonly status: number;
  readonly body: Input;

  constructor(status: number, body: Input) {
    super(`${status}: ${body.error}: ${body.message}`);
    this.status = status;
    this.body = body;
  }
}

/**
 * Returns one method per operation of a server's document, by operation id. A method takes the fields of path, query
 * and body in one object. Throws ErrorResponse for an error, and Error for anything that the document does not have.
 */
export async function generatedClient(url: string, token: string): Promise<GeneratedClient> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument;
  const base = new URL(document.servers[0]?.url ?? "", `${url}/`).href;
  const methods = new Map<string, Method>();
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const { operationId: id } = operation;
      if (methods.has(id)) throw new Error(`two operations are called ${id}`);
      const send = (where: string, init: RequestInit) =>
        fetch(base + where, {
          ...init,
          method: method.toUpperCase(),
          headers: {
            "content-type": "application/json",
            ...(operation.security.length > 0 ? { authorization: `Bearer ${token}` } : {}),
          },
        });
      methods.set(id, methodOf(document, { path, operation, send }));
    }
  return Object.fromEntries(methods);
}

interface Endpoint {
  readonly path: string;
  readonly operation: DescribedOperation;
  readonly send: (where: string, init: RequestInit) => Promise<Response>;
}

function methodOf({ components }: ApiDocument, { path, operation, send }: Endpoint): Method {
  const { operationId: id, parameters, requestBody, responses } = operation;
  const checkerOf = (what: string, schema: Schema) => checker(`${id}: ${what}`, { ...schema, components });
  const inUrl = parameters
    .filter((one) => one.in !== "header")
    .map((one) => ({ ...one, check: checkerOf(one.name, one.schema) }));
  const bodySchema = requestBody?.content["application/json"].schema;
  const fields = Object.keys(bodySchema?.properties ?? {});
  const checkBody = bodySchema && checkerOf("request body", bodySchema);
  const checks = new Map(
    Object.entries(responses).map(([status, { content }]) => [
      Number(status),
      checkerOf(`response ${status}`, content["application/json"].schema),
    ]),
  );
  return async (input = {}) => {
    const known = new Set([...inUrl.map(({ name }) => name), ...fields]);
    const unknown = Object.keys(input).filter((name) => !known.has(name));
    if (unknown.length > 0) throw new Error(`${id} has no field ${unknown.join(", ")}`);
    let where = path;
    const query = new URLSearchParams();
    for (const { name, in: part, required, check } of inUrl) {
      const value = input[name];
      if (value === undefined && required) throw new Error(`${id} requires ${name}`);
      if (value === undefined) continue;
      check(value);
      if (part === "path") where = where.replace(`{${name}}`, encodeURIComponent(String(value)));
      else query.set(name, String(value));
    }
    const body = Object.fromEntries(Object.entries(input).filter(([name]) => fields.includes(name)));
    checkBody?.(body);
    const response = await send(
      query.size > 0 ? `${where}?${query}` : where,
      checkBody ? { body: JSON.stringify(body) } : {},
    );
    const answer = (await heard(where, response).json()) as Input;
    const checkResponse = checks.get(response.status);
    if (!checkResponse)
      throw new Error(`${id} has no response ${response.status}: ${JSON.stringify(answer)}`);
    checkResponse(answer);
    if (!response.ok) throw new ErrorResponse(response.status, answer);
    return answer;
  };
}

/** Returns a function that throws an error if a value does not match the schema; the first call compiles it. */
function checker(what: string, schema: object): (value: unknown) => void {
  const validate = lazy(() => new AjvJsonSchemaValidator().getValidator(schema));
  return (value) => {
    const { valid, errorMessage } = validate()(value);
    if (!valid) throw new Error(`${what} does not match the document: ${errorMessage}`);
  };
}
