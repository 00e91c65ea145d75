import type { Operation } from "../../src/operation.ts";
import type { Values } from "./arguments.ts";

export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The flag or word that a field has on the command line. */
export const argName = ({ cli }: Operation, field: string): string => cli?.flags?.[field] ?? kebab(field);

/** The texts of an operation's fields among a command's values, with the command line's own defaults. */
export function textsOf(operation: Operation, values: Values): Record<string, unknown> {
  const texts: Record<string, unknown> = {};
  for (const field of Object.keys(operation.input.shape)) {
    const value = values[argName(operation, field)] ?? operation.cli?.defaults?.[field];
    if (value !== undefined) texts[field] = value;
  }
  return texts;
}
