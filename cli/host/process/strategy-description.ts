/** A strategy as its process describes it: all that operations and passes need, without its code. */
import * as z from "zod";
import { lazy } from "../../../src/kernel/lazy.ts";
import { TIMEFRAMES } from "../../../src/kernel/time.ts";
import { defineStrategy } from "../../../src/own/define.ts";
import type { AnyStrategyDefinition } from "../../../src/ports/definition.ts";
import type { BundledStrategy } from "./strategy-code.ts";

const MAX_FIELDS = 100;
const decimalText = () => z.string().max(60).optional();

const candleShape = () =>
  z.strictObject({
    timeframe: z.enum(Object.keys(TIMEFRAMES) as (keyof typeof TIMEFRAMES)[]),
    count: z.number(),
    symbol: z.string().max(60).optional(),
    exchange: z.string().max(60).optional(),
  });

const DescriptionShape = lazy(() =>
  z.strictObject({
    name: z.string(),
    summary: z.string().max(500).optional(),
    version: z.number(),
    hasUpgrade: z.boolean(),
    tolerance: z.strictObject({ price: decimalText(), amount: decimalText() }).optional(),
    mayTake: z.boolean(),
    candles: z.union([candleShape(), z.record(z.string().max(60), candleShape())]).optional(),
    reference: z.union([z.boolean(), z.strictObject({ maxAge: z.number().optional() })]),
    config: z.object({
      properties: z
        .record(z.string().regex(/^[A-Za-z]\w{0,60}$/), z.record(z.string(), z.json()))
        .default({}),
      required: z.array(z.string()).default([]),
    }),
  }),
);

/** Returns the definition that a process described; its code is only elsewhere. Throws an Error with the file. */
export function describedDefinition(described: unknown, { source }: BundledStrategy): AnyStrategyDefinition {
  const { data, error } = DescriptionShape().safeParse(described);
  const [issue] = error?.issues ?? [];
  if (!data) throw new Error(`${source}: ${issue?.path.join(".")}: ${issue?.message}`);
  const { config, hasUpgrade, ...rest } = data;
  const fields = Object.entries(config.properties);
  if (fields.length > MAX_FIELDS) throw new Error(`${source}: config has more than ${MAX_FIELDS} fields`);
  const shape = fields.map(([name, schema]) => [
    name,
    config.required.includes(name) ? z.unknown().meta(schema) : z.unknown().meta(schema).optional(),
  ]);
  const definition: AnyStrategyDefinition = {
    ...rest,
    ...(hasUpgrade ? { upgrade: codeElsewhere } : {}),
    config: z.object(Object.fromEntries(shape) as z.ZodRawShape),
    orders: codeElsewhere,
  };
  return { ...defineStrategy(definition), source };
}

function codeElsewhere(): never {
  throw new Error("the code of this strategy runs in another process");
}
