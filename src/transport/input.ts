import type * as z from "zod";
import { type Issue, isLabel, type Label } from "../kernel/errors.ts";
import type { Operation } from "../operation.ts";

type FieldKind = "integer" | "number" | "boolean" | "json" | "string";

type FieldKinds = Readonly<Record<string, FieldKind>>;
const kindsByInput = new WeakMap<z.ZodObject, FieldKinds>();

/** Returns how each field's text is parsed; fields without a text form stay text. Computed once per input. */
export function fieldKinds({ input }: Pick<Operation, "input">): FieldKinds {
  const kinds = kindsByInput.get(input) ?? readKinds(input);
  kindsByInput.set(input, kinds);
  return kinds;
}

const readKinds = ({ shape }: z.ZodObject): FieldKinds =>
  Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, fieldKindOf(field as z.core.$ZodTypes)]),
  );

/** Returns a field's type as the documents show it, before transformations. */
function fieldKindOf(field: z.core.$ZodTypes): FieldKind {
  const { def } = field._zod;
  switch (def.type) {
    case "optional":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return fieldKindOf(def.innerType as z.core.$ZodTypes);
    case "pipe":
      return fieldKindOf(def.in as z.core.$ZodTypes);
    case "number":
      return isCounted(field) ? "integer" : "number";
    case "boolean":
      return "boolean";
    case "literal":
    case "enum":
      return kindOfValues([...(field._zod.values ?? [])]);
    case "object":
    case "record":
    case "array":
    case "tuple":
      return "json";
    default:
      return "string";
  }
}

const isCounted = ({ _zod: { def } }: z.core.$ZodTypes): boolean =>
  [def, ...(def.checks ?? []).map(({ _zod }) => _zod.def)].some(
    (one) => "format" in one && String(one.format).includes("int"),
  );

function kindOfValues(values: readonly unknown[]): FieldKind {
  const [type, ...others] = new Set(values.map((value) => typeof value));
  return others.length === 0 && (type === "number" || type === "boolean") ? type : "string";
}

const READ_AS: Record<FieldKind, (text: string) => unknown> = {
  // A count consists of digits only: no sign, fraction, exponent or hexadecimal text.
  integer: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  number: (text) => (/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : text),
  json: (text) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  },
  string: (text) => text,
};

export const fromText = (kind: FieldKind, text: string): unknown => READ_AS[kind](text);

/** Parses the command line's text into the fields' types; the schema rejects text that does not parse. */
export function fromTexts(
  kinds: Readonly<Record<string, FieldKind>>,
  texts: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  // A name can equal a property of every object, such as constructor.
  const kindOf = (name: string): FieldKind =>
    (Object.hasOwn(kinds, name) ? kinds[name] : undefined) ?? "string";
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      typeof text === "string" ? fromText(kindOf(name), text) : text,
    ]),
  );
}

interface InputRefusal {
  readonly label: Label;
  readonly message: string;
  readonly issues: readonly Issue[];
}

/**
 * Converts a validation failure to the contract's error: the label of the first field in the specification's order.
 * Schema messages are `Label: sentence`; an unknown field comes last.
 */
export function inputRefusal({ input }: Pick<Operation, "input">, error: z.core.$ZodError): InputRefusal {
  const order = Object.keys(input.shape);
  const place = (issue: z.core.$ZodIssue) =>
    issue.code === "unrecognized_keys" ? order.length : order.indexOf(String(issue.path[0]));
  const sorted = error.issues
    .map((issue) => ({ issue, place: place(issue) }))
    .sort((a, b) => a.place - b.place);
  const results = sorted.map(({ issue }) => ({ path: issue.path.join("."), ...split(issue) }));
  const [first = { label: "Invalid request" as const, message: "the request is not valid" }] = results;
  return {
    label: first.label,
    message: first.message,
    issues: results.map(({ path, message }) => ({ path, message })),
  };
}

function split(issue: z.core.$ZodIssue): { label: Label; message: string } {
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.join(", ");
    return {
      label: "Invalid request",
      message: `unknown field${issue.keys.length > 1 ? "s" : ""}: ${names}`,
    };
  }
  const [label = "", ...sentence] = issue.message.split(": ");
  return isLabel(label)
    ? { label, message: sentence.join(": ") }
    : { label: "Invalid request", message: unlabeledText(issue) };
}

/** Returns the message for a user's own schema, whose messages name no field. */
function unlabeledText({ path, message, ...issue }: z.core.$ZodIssue): string {
  const field = path.length > 0 ? `${path.join(".")} ` : "";
  return issue.code === "invalid_type"
    ? `${field}must be a ${issue.expected}`
    : `${field}is not valid: ${message}`;
}
