import * as z from "zod";
import { type Issue, isLabel, type Label } from "../kernel/errors.ts";
import type { Operation } from "../operation.ts";

type FieldKind = "integer" | "number" | "boolean" | "json" | "string";

type FieldKinds = Readonly<Record<string, FieldKind>>;
const kindsByInput = new WeakMap<z.ZodObject, FieldKinds>();

/** What a field's text is read as; a field that takes no text of its own stays text. Of one input it is found out once. */
export function fieldKinds({ input }: Pick<Operation, "input">): FieldKinds {
  const kinds = kindsByInput.get(input) ?? readKinds(input);
  kindsByInput.set(input, kinds);
  return kinds;
}

function readKinds(input: z.ZodObject): FieldKinds {
  const { properties = {} } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const type = typeof schema === "object" ? schema.type : undefined;
      if (type === "object" || type === "array") return [name, "json"];
      return [name, type === "integer" || type === "number" || type === "boolean" ? type : "string"];
    }),
  );
}

const READ_AS: Record<FieldKind, (text: string) => unknown> = {
  // A count is digits and nothing else: no sign, fraction, exponent or hexadecimal text.
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

/** Reads text of a command line into the fields' own types; what is no such text is left for the schema to refuse. */
export function fromTexts(
  kinds: Readonly<Record<string, FieldKind>>,
  texts: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  // A name may be that of something every object has, such as constructor.
  const kindOf = (name: string): FieldKind =>
    (Object.hasOwn(kinds, name) ? kinds[name] : undefined) ?? "string";
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      typeof text === "string" ? fromText(kindOf(name), text) : text,
    ]),
  );
}

export interface InputRefusal {
  readonly label: Label;
  readonly message: string;
  readonly issues: readonly Issue[];
}

/**
 * A failed parse as the contract answers it: the label of the first field in the specification's order.
 * Schema messages are `Label: sentence`; a field that the operation does not know comes last.
 */
export function inputRefusal({ input }: Pick<Operation, "input">, error: z.core.$ZodError): InputRefusal {
  const order = Object.keys(input.shape);
  const place = (issue: z.core.$ZodIssue) =>
    issue.code === "unrecognized_keys" ? order.length : order.indexOf(String(issue.path[0]));
  const sorted = error.issues
    .map((issue) => ({ issue, place: place(issue) }))
    .sort((a, b) => a.place - b.place);
  const told = sorted.map(({ issue }) => ({ path: issue.path.join("."), ...split(issue) }));
  const [first = { label: "Invalid request" as const, message: "the request is not valid" }] = told;
  return {
    label: first.label,
    message: first.message,
    issues: told.map(({ path, message }) => ({ path, message })),
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
    : { label: "Invalid request", message: issue.message };
}
