import type * as z from "zod";
import { centeredConfig, rangeConfig } from "../../src/grid/schema/input.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { startOptions } from "../../src/lifecycle/operations/start.ts";
import { createOperations } from "../../src/operations.ts";
import { quoteConfig } from "../../src/quote/schema/input.ts";
import { EXCHANGES } from "./sandbox.ts";

/** Fields of every start; the others belong to the definition's config. */
const OPTIONS: ReadonlySet<string> = new Set([...Object.keys(startOptions(EXCHANGES)), "planHash", "planId"]);

/** The body of a start or a preview: `grid`, `centered`, `quote` or a name of one's own, and its fields. */
export function startBody(definition: string, fields: object) {
  const part = (isOption: boolean) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => OPTIONS.has(name) === isOption));
  const geometry = definition === "centered" ? { geometry: "centered" } : {};
  return {
    definition: definition === "centered" ? "grid" : definition,
    ...part(true),
    config: { ...geometry, ...part(false) },
  };
}

/** The settings of quotes as their schema reads them, whatever place and options stand beside them. */
export const quoteSettings = (fields: object): z.output<ReturnType<typeof quoteConfig>> =>
  quoteConfig().parse(startBody("quote", fields).config);

/** The same with the budgets, as a backtest takes them. */
export function quotesOf(
  fields: Readonly<Record<string, unknown>> & { readonly baseBudget?: number; readonly quoteBudget?: number },
) {
  const { baseBudget, quoteBudget } = fields;
  return {
    ...quoteSettings(fields),
    ...(baseBudget === undefined ? {} : { baseBudget: decimal(String(baseBudget)) }),
    ...(quoteBudget === undefined ? {} : { quoteBudget: decimal(String(quoteBudget)) }),
  };
}

/** The settings of a grid as its schema reads them. */
export function gridSettings(geometry: "grid" | "centered", fields: object) {
  const { geometry: _, ...settings } = (geometry === "grid" ? rangeConfig() : centeredConfig()).parse(
    startBody("grid", fields).config,
  );
  return settings;
}

/** The operation of a start with its input as a surface has read it. */
export function readStarts(definition: string, fields: object): [name: string, input: object] {
  const [name, input] = starts(definition, fields);
  const operation = createOperations(EXCHANGES).find((one) => one.name === name);
  return [name, operation?.input.parse(input) as object];
}

type Body = ReturnType<typeof startBody>;

/** The operation of a start with its input. */
export const starts = (definition: string, fields: object): [name: string, input: Body] => [
  "start_strategy",
  startBody(definition, fields),
];

export const previews = (definition: string, fields: object): [name: string, input: Body] => [
  "preview_strategy",
  startBody(definition, fields),
];

/** The path of a start with its body. */
export const startOf = (definition: string, fields: object): [path: string, body: Body] => [
  "/strategies",
  startBody(definition, fields),
];

export const previewOf = (definition: string, fields: object): [path: string, body: Body] => [
  "/strategies/preview",
  startBody(definition, fields),
];
