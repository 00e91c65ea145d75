import { expect, it } from "vitest";
import * as z from "zod";
import { fieldKinds } from "../../src/kernel/field-kinds.ts";
import { createOperations } from "../../src/operations.ts";
import { EXCHANGES } from "../support/sandbox.ts";

const OF_TYPE: Readonly<Record<string, string>> = {
  object: "json",
  array: "json",
  integer: "integer",
  number: "number",
  boolean: "boolean",
};

it.each(createOperations(EXCHANGES).map((operation) => [operation.name, operation] as const))(
  "a string for %s is read as the type that the document gives its field",
  (_name, operation) => {
    const { properties = {} } = z.toJSONSchema(operation.input, { io: "input", unrepresentable: "any" });
    const results = Object.entries(properties).map(([field, schema]) => [
      field,
      OF_TYPE[String((schema as { type?: unknown }).type)] ?? "string",
    ]);
    expect(fieldKinds(operation)).toEqual(Object.fromEntries(results));
  },
);
