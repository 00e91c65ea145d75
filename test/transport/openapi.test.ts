import { describe, expect, it } from "vitest";
import { FIELD_DESCRIPTIONS, type Schema } from "../../src/transport/openapi-schema.ts";
import { testApp } from "../support/app.ts";

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly schema: Schema;
    readonly example?: unknown;
    readonly required: boolean;
  }[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: Schema; readonly example: object } };
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content: Readonly<Record<string, { readonly schema: { $ref?: string } }>>;
      }
    >
  >;
}

interface Document {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const served = async () => {
  const app = await testApp();
  return { app, document: (await (await app.ask("/openapi.json")).json()) as Document };
};

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
    })),
  );

/** Every field below a schema that says nothing of itself. */
const silent = (schema: Schema | undefined, at: string): string[] =>
  typeof schema !== "object"
    ? []
    : [
        ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
          ...(field.description ? [] : [`${at}.${name}`]),
          ...silent(field, `${at}.${name}`),
        ]),
        ...silent(schema.items, at),
        ...silent(schema.additionalProperties as Schema, at),
        ...(schema.anyOf ?? []).flatMap((one) => silent(one, at)),
      ];

describe("the OpenAPI document", () => {
  it("describes every field of every response and request", async () => {
    const { document } = await served();
    const answers = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      silent(schema, name),
    );
    const requests = operationsOf(document).flatMap(({ operationId, parameters, requestBody }) => [
      ...parameters.filter(({ description }) => !description).map(({ name }) => `${operationId}?${name}`),
      ...silent(requestBody?.content["application/json"].schema, `${operationId} body`),
    ]);
    expect([...answers, ...requests]).toEqual([]);
    expect(Object.keys(document.components.schemas).length).toBeGreaterThan(40);
  });

  it("has no description of a field name that no field shows", async () => {
    const words = FIELD_DESCRIPTIONS as Record<string, string>;
    const before = { ...words };
    for (const name of Object.keys(words)) words[name] = `(${name})`;
    const { document } = await served().finally(() => Object.assign(words, before));
    const text = JSON.stringify(document);
    expect(Object.keys(words).filter((name) => !text.includes(`"(${name})"`))).toEqual([]);
  });

  it("names every response, tags every operation, and lists the errors of each", async () => {
    const { document } = await served();
    const tags = document.tags.map(({ name }) => name);
    for (const { operationId, responses, security, method, ...operation } of operationsOf(document)) {
      expect(
        operation.tags.filter((tag) => tags.includes(tag)),
        operationId,
      ).toHaveLength(1);
      const name = responses[200]?.content["application/json"]?.schema.$ref?.split("/").at(-1) ?? "";
      expect(document.components.schemas[name], operationId).toBeDefined();
      const expected = [
        "400",
        "404",
        "429",
        "500",
        ...(security.length > 0 ? ["401", "403"] : []),
        ...(method === "GET" ? [] : ["409", "413", "415"]),
      ];
      expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(expected));
      for (const status of expected)
        expect(responses[status]?.description, operationId).toMatch(/^One of: \w/);
    }
  });

  it("has examples that the service accepts unchanged", async () => {
    const { app, document } = await served();
    for (const { path, method, operationId, parameters, requestBody } of operationsOf(document)) {
      const given = parameters.filter(({ example }) => example !== undefined);
      const inPath = (name: string) => String(given.find((one) => one.name === name)?.example);
      const url = path.replace(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(inPath(name)));
      const query = new URLSearchParams(
        given.filter((one) => one.in === "query").map(({ name, example }) => [name, String(example)]),
      );
      const answer = await app.ask(`/api/v1${url}?${method === "GET" || !requestBody ? query : ""}`, {
        method,
        headers: { authorization: `Bearer ${app.tokens.admin}`, "content-type": "application/json" },
        ...(requestBody ? { body: JSON.stringify(requestBody.content["application/json"].example) } : {}),
      });
      const { error, message } = (await answer.json()) as { error?: string; message?: string };
      expect(answer.status, `${operationId}: ${error}: ${message}`).not.toBe(400);
    }
  });

  it("describes events as a stream, and as the JSON that the service sends", async () => {
    const { app, document } = await served();
    const events = document.paths["/events"]?.get;
    expect(Object.keys(events?.responses[200]?.content ?? {})).toEqual([
      "application/json",
      "text/event-stream",
    ]);
    expect(events?.parameters.map(({ name, in: place }) => [name, place])).toEqual([
      ["after", "query"],
      ["Last-Event-ID", "header"],
    ]);
    const answer = await app.ask("/api/v1/events?after=0", {
      headers: { authorization: `Bearer ${app.tokens.admin}` },
    });
    const body = (await answer.json()) as { events: object[] };
    const { properties, required } = document.components.schemas.GetEventsAnswer as Schema;
    expect(Object.keys(body).sort()).toEqual([...(required ?? [])].sort());
    const [first = {}] = body.events;
    expect(Object.keys(first).sort()).toEqual(
      Object.keys(properties?.events?.items?.properties ?? {}).sort(),
    );
  });
});
