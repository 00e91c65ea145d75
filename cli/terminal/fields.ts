import { fieldKinds } from "../../src/kernel/field-kinds.ts";
import { defaultsOf, type Operation } from "../../src/operation.ts";
import { fromTexts } from "../../src/transport/input.ts";
import { UsageError, type Values } from "./arguments.ts";

export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns the flag or word of a field on the command line. */
export const argName = ({ cli }: Operation, field: string): string => cli?.flags?.[field] ?? kebab(field);

/** Returns the flag of a part of a field: `--trail-up`. */
export const partName = (operation: Operation, field: string, part: string): string =>
  `${argName(operation, field)}-${part}`;

/** Returns an operation's input from a command's values, with the command line's defaults. */
export function inputOf(operation: Operation, values: Values): Record<string, unknown> {
  const texts: Record<string, unknown> = {};
  const defaults = defaultsOf(operation, "cli", values);
  for (const field of Object.keys(operation.input.shape)) {
    const whole = values[argName(operation, field)] ?? defaults[field];
    const parts = partsGiven(operation, field, values);
    if (whole !== undefined && parts !== undefined)
      throw new UsageError(`--${argName(operation, field)} and the flags of its parts exclude each other`);
    const value = whole === undefined ? parts : whole;
    if (value !== undefined) texts[field] = value;
  }
  return fromTexts(fieldKinds(operation), texts);
}

/** Throws UsageError for a flag that another form has, but not this one; `what` describes this one. */
export function refuseForeignFlags(
  one: { readonly flat: Operation },
  forms: readonly { readonly flat: Operation }[],
  values: Values,
  what: string,
): void {
  const flagsOf = ({ flat }: typeof one) =>
    Object.keys(flat.input.shape).flatMap((field) => [
      argName(flat, field),
      ...Object.keys(flat.cli?.parts?.[field] ?? {}).map((part) => partName(flat, field, part)),
    ]);
  const known = flagsOf(one);
  const foreign = forms.flatMap(flagsOf).find((name) => values[name] !== undefined && !known.includes(name));
  if (foreign !== undefined) throw new UsageError(`--${foreign} is not a flag of ${what}`);
}

function partsGiven(operation: Operation, field: string, values: Values): object | undefined {
  const names = Object.keys(operation.cli?.parts?.[field] ?? {});
  const given = names.flatMap((name) => {
    const value = values[partName(operation, field, name)];
    return value === undefined ? [] : [[name, value] as const];
  });
  const kinds = Object.fromEntries(names.map((name) => [name, "number" as const]));
  return given.length === 0 ? undefined : fromTexts(kinds, Object.fromEntries(given));
}
