/** Values that a function shows beside its orders. */
import * as z from "zod";
import { lazy } from "../../kernel/lazy.ts";
import type { StrategyNotes } from "../../ports/definition.ts";

const MAX_NOTES = 20;
const MAX_NOTE_CHARACTERS = 200;
const NOTE_NAME = /^[a-z][\w .-]{0,39}$/i;

export const NotesShape = lazy(() =>
  z
    .record(
      z
        .string()
        .regex(
          NOTE_NAME,
          "a name begins with a letter and has at most 40 letters, digits, spaces, _, . and -",
        ),
      z.union([z.string().max(MAX_NOTE_CHARACTERS), z.number(), z.boolean()], {
        error: `not a text of at most ${MAX_NOTE_CHARACTERS} characters, a number, true or false`,
      }),
    )
    .refine((notes) => Object.keys(notes).length <= MAX_NOTES, `more than ${MAX_NOTES} values`),
);

/** Returns a copy of valid notes. Throws TypeError with the field of an invalid one. */
export function readNotes(notes: unknown): StrategyNotes {
  if (notes === undefined) return {};
  const { data, error } = NotesShape().safeParse(notes);
  if (data) return data;
  const [issue] = error.issues;
  throw new TypeError(`orders() returned ${["notes", ...(issue?.path ?? [])].join(".")}: ${issue?.message}`);
}
