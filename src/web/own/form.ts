import type { OwnDefinition } from "../types.ts";

/** A field of a strategy's config, from its JSON schema. */
export interface ConfigField {
  readonly name: string;
  readonly label: string;
  readonly kind: "number" | "text" | "check" | "json";
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly initial: string;
}

interface PropertySchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
}

interface ConfigSchema {
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
}

const KIND_OF_TYPE: Readonly<Record<string, ConfigField["kind"]>> = {
  ...{ number: "number", integer: "number", boolean: "check", string: "text" },
};

export function configFields({ config }: OwnDefinition): readonly ConfigField[] {
  const { properties = {}, required = [] } = config as ConfigSchema;
  return Object.entries(properties).map(
    ([name, { type = "", description, default: initial, enum: choices }]) => ({
      name,
      label: description ?? name,
      kind: KIND_OF_TYPE[type] ?? "json",
      choices: (choices ?? []).map(String),
      isRequired: required.includes(name),
      initial: initial === undefined ? "" : typeof initial === "string" ? initial : JSON.stringify(initial),
    }),
  );
}

/** Typed text by field. */
export type OwnForm = Readonly<Record<string, string>>;

/** Returns the body of a preview; undefined while a required field is missing or not readable. */
export function ownBody(form: OwnForm, fields: readonly ConfigField[]): Record<string, unknown> | undefined {
  const typed = (name: string) => form[name]?.trim() ?? "";
  const { exchange, symbol } = { exchange: typed("exchange"), symbol: typed("symbol") };
  if (exchange === "" || symbol === "") return undefined;
  const body: Record<string, unknown> = { exchange, symbol };
  for (const name of ["baseBudget", "quoteBudget"]) if (typed(name) !== "") body[name] = Number(typed(name));
  if (form.dryRun === "true") body.dryRun = true;
  for (const { name, kind, isRequired, initial } of fields) {
    const text = typed(name) || initial;
    if (text === "" && isRequired && kind !== "check") return undefined;
    if (text !== "") body[name] = kind === "text" ? text : readJson(text);
    else if (kind === "check" && isRequired) body[name] = false;
  }
  return body;
}

/** Returns text as a value; text that is not JSON stays text, and the server reports it. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
