import type * as z from "zod";
import { safeParse } from "zod/v4/core";
import { fromNumber, parseDecimal } from "../kernel/decimal.ts";
import { type Issue, isLabel, type Label } from "../kernel/errors.ts";
import { type FieldKind, fieldKinds, mistypedText } from "../kernel/field-kinds.ts";
import { didYouMean } from "../kernel/plain-text.ts";
import { type Operation, sentForm } from "../operation.ts";
import type { ConfigForm } from "../ports/config-form.ts";

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

/**
 * Converts what agents send in place of a field's type: text of a number, and null for an absent field. Text that a
 * number cannot hold exactly stays text, so the schema refuses it.
 */
export function fromArguments(
  { input, forms }: Pick<Operation, "input" | "forms">,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const kinds = fieldKinds({ input });
  const known = Object.entries(values).filter(
    ([name, value]) => value !== null || !Object.hasOwn(kinds, name) || !isOmittable(input.shape[name]),
  );
  const read = Object.fromEntries(
    known.map(([name, value]) => {
      const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
      return [name, typeof value === "string" && kind ? fromArgument(kind, value) : value];
    }),
  );
  if (!forms || typeof read.config !== "object" || read.config === null) return read;
  const form = sentForm({ input, forms }, read);
  const config = configFrom(form ? [form] : forms, read.config as Readonly<Record<string, unknown>>);
  return { ...read, config };
}

/** Reads a config that can be of any of these forms; a field that they read differently stays as it was sent. */
function configFrom(
  forms: readonly ConfigForm[],
  sent: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields = Object.entries(sent).map(([name, value]) => {
    const given = { [name]: value };
    const [first = given, ...others] = forms
      .map((form) => form.config())
      .filter(({ shape }) => Object.hasOwn(shape, name))
      .map((input) => fromArguments({ input }, given));
    return others.every((other) => JSON.stringify(other) === JSON.stringify(first)) ? first : given;
  });
  return Object.assign({}, ...fields);
}

const isOmittable = (field: z.core.$ZodTypes): boolean =>
  safeParse(field, undefined).success && !safeParse(field, null).success;

function fromArgument(kind: FieldKind, text: string): unknown {
  if (kind !== "integer" && kind !== "number") return fromText(kind, text);
  const exact = parseDecimal(text);
  return exact !== undefined && exact === fromNumber(Number(text)) ? Number(text) : text;
}

interface InputRefusal {
  readonly label: Label;
  readonly message: string;
  readonly issues: readonly Issue[];
}

/**
 * Converts a validation failure to the contract's error: the label of the first field in the specification's order.
 * Schema messages are `Label: sentence`; an unknown field comes last. With the JSON `values`, a value of another type
 * is refused by its type.
 */
export function inputRefusal(
  { input, forms }: Pick<Operation, "input" | "forms">,
  error: z.core.$ZodError,
  values: Readonly<Record<string, unknown>> = {},
): InputRefusal {
  const order = Object.keys(input.shape);
  const place = (issue: z.core.$ZodIssue) =>
    issue.code === "unrecognized_keys" ? order.length : order.indexOf(String(issue.path[0]));
  const sorted = error.issues
    .map((issue) => ({ issue, place: place(issue) }))
    .sort((a, b) => a.place - b.place);
  const form = sentForm({ input, forms }, values);
  const results = sorted.map(({ issue }) => {
    const [top, ...inner] = issue.path.map(String);
    const isUnknown = issue.code === "unrecognized_keys";
    const known = form && isUnknown && top === "config" ? Object.keys(form.config().shape) : order;
    const { label, message } = split(issue, known);
    // A config's fields are refused like the others.
    const isOfConfig = form !== undefined && top === "config" && inner.length > 0;
    const [name, ...below] = isOfConfig ? inner : issue.path.map(String);
    const fields = isOfConfig ? form.config() : input;
    const sent = (isOfConfig ? values.config : values) as Readonly<Record<string, unknown>> | undefined;
    const mistyped =
      name === undefined || below.length > 0
        ? undefined
        : mistypedText(fields, name, { issue, value: sent?.[name] });
    return { path: issue.path.join("."), label, message: mistyped ?? message };
  });
  const [first = { label: "Invalid request" as const, message: "the request is not valid" }] = results;
  return {
    label: first.label,
    message: first.message,
    issues: results.map(({ path, message }) => ({ path, message })),
  };
}

/** A longer unknown name is compared up to here, because each comparison takes time in proportion to it. */
export const MAX_TYPO_CHARACTERS = 64;

function split(issue: z.core.$ZodIssue, known: readonly string[]): { label: Label; message: string } {
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.join(", ");
    return {
      label: "Invalid request",
      message: `unknown field${issue.keys.length > 1 ? "s" : ""}: ${names}${didYouMean((issue.keys[0] ?? "").slice(0, MAX_TYPO_CHARACTERS), known)}`,
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
