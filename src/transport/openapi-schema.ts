/** JSON Schema for the document: every field has a description. */
import * as z from "zod";
import { GRID_WORDS } from "./words/grid.ts";
import { KEEPING_WORDS } from "./words/keeping.ts";
import { MARKET_WORDS } from "./words/market.ts";
import { QUOTE_WORDS } from "./words/quote.ts";
import type { FieldWords } from "./words/words.ts";

export const FIELD_WORDS: FieldWords = { ...QUOTE_WORDS, ...MARKET_WORDS, ...GRID_WORDS, ...KEEPING_WORDS };

export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

/** Returns the schema of an operation's input or output; a field without a description gets the one of its name. */
export function schemaOf(schema: z.ZodType, io: "input" | "output", owner: string): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return described(rest as Schema, owner);
}

function described(schema: Schema, owner: string): Schema {
  const { properties, items, additionalProperties, anyOf } = schema;
  return {
    ...schema,
    ...(properties ? { properties: describedFields(properties, owner) } : {}),
    ...(items ? { items: described(items, owner) } : {}),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: described(additionalProperties, owner) }
      : {}),
    ...(anyOf ? { anyOf: anyOf.map((schema) => described(schema, owner)) } : {}),
  };
}

const describedFields = (fields: Readonly<Record<string, Schema>>, owner: string): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const description = field.description ?? FIELD_WORDS[`${owner}.${name}`] ?? FIELD_WORDS[name];
      return [name, { ...described(field, name), ...(description === undefined ? {} : { description }) }];
    }),
  );
