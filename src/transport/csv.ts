import { AppError } from "../errors.ts";
import type { Operation } from "../operation.ts";

/** The forms that an operation with a table answers in; the field is the surface's own, no operation reads it. */
export const FORMATS = ["json", "csv"] as const;

/** Whether the answer is wanted as a table: `format` says so, else Accept. Throws on another format. */
export function wantsCsv(
  { csv }: Pick<Operation, "csv">,
  { format, accept = "" }: { format: unknown; accept?: string | undefined },
): boolean {
  if (!csv) return false;
  if (format === undefined) return /\btext\/csv\b/i.test(accept);
  if (format === "csv" || format === "json") return format === "csv";
  throw new AppError("Invalid request", `format must be ${FORMATS.join(" or ")}`);
}
