import type { Operation } from "../../src/operation.ts";
import { type Format, formatsOf } from "../../src/transport/csv.ts";
import type { Values } from "./arguments.ts";
import { UsageError } from "./usage-error.ts";

/** Returns the format of a command's output. Throws UsageError for another one, and for flags that exclude each other. */
export function requestedFormat(operation: Operation, { format, json, columns }: Values): Format {
  if (columns !== undefined && (format !== undefined || json))
    throw new UsageError(
      "--columns works only for tables in a terminal; --json and --format include every column",
    );
  if (format === undefined) return "json";
  const formats = formatsOf(operation);
  const found = formats.find((one) => one === format);
  if (!found) throw new UsageError(`--format must be ${[...formats].reverse().join(" or ")}`);
  if (found !== "json" && json) throw new UsageError(`--format ${found} and --json exclude each other`);
  return found;
}

/** Returns a command's values, in which `--format json` is `--json`. */
export const withJson = (values: Values): Values =>
  values.format === "json" ? { ...values, json: true } : values;
