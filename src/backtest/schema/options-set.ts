import { centeredPreviewInput, rangePreviewInput } from "../../grid/schema/input.ts";
import { RANGE_FLAGS } from "../../grid/schema/range-flags.ts";
import { labelled } from "../../grid/start/edited.ts";
import type { GridConfig } from "../../grid/state/config.ts";
import { AppError } from "../../kernel/errors.ts";

/** Exchange and pair are not options of a grid. */
const WHERE = ["exchange", "symbol", "dryRun", "dryBalance"];

/** Parses `size=80,levels=20` as fields of the grid's kind, by field names or flags. Throws AppError. */
export function optionsSet(config: GridConfig, set: string): Readonly<Record<string, unknown>> {
  const shape: FieldReaders = config.centered ? centeredPreviewInput([]).shape : rangePreviewInput([]).shape;
  const options = Object.entries(shape).filter(([name]) => !WHERE.includes(name));
  const changes: Record<string, unknown> = {};
  for (const part of set.split(",")) {
    const [request = "", value = ""] = part.split("=").map((one) => one.trim());
    const found = options.find(([name]) => flagsOf(name).includes(request));
    if (!found) {
      const names = options.map(([name]) => name).join(", ");
      throw new AppError("Invalid request", `set has no option ${request}; choose from ${names}`);
    }
    const [name, field] = found;
    const parsed = field.safeParse(valueRead(value));
    if (!parsed.success) throw labelled(parsed.error.issues[0]?.message ?? `Invalid request: ${part}`);
    changes[name] = parsed.data;
  }
  return changes;
}

type FieldReaders = Readonly<
  Record<
    string,
    {
      safeParse(value: unknown):
        | { readonly success: true; readonly data: unknown }
        | {
            readonly success: false;
            readonly error: { readonly issues: readonly { readonly message: string }[] };
          };
    }
  >
>;

/** The short forms name fields that a centered grid does not have. */
const flagsOf = (name: string): readonly (string | undefined)[] => {
  const short = (RANGE_FLAGS as Readonly<Record<string, string>>)[name];
  const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return [name, kebab, short];
};

const valueRead = (text: string): unknown => {
  if (text === "true" || text === "false") return text === "true";
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
};
