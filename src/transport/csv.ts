import { AppError } from "../kernel/errors.ts";
import type { Operation } from "../operation.ts";
import type { Answer } from "./run.ts";

export type Format = "json" | "csv" | "html";

/** Formats of an operation's responses; only HTTP and the command line use the field. */
export const formatsOf = ({ csv, html }: Pick<Operation, "csv" | "html">): readonly Format[] => [
  "json",
  ...(csv ? (["csv"] as const) : []),
  ...(html ? (["html"] as const) : []),
];

/** Returns the requested format: `format`, otherwise Accept. Throws for another format. */
export function answerFormat(
  operation: Pick<Operation, "csv" | "html">,
  { format, accept = "" }: { format: unknown; accept?: string | undefined },
): Format {
  const formats = formatsOf(operation);
  if (formats.length === 1) return "json";
  if (format === undefined) return operation.csv && /\btext\/csv\b/i.test(accept) ? "csv" : "json";
  const found = formats.find((one) => one === format);
  if (found) return found;
  throw new AppError("Invalid request", `format must be ${formats.join(" or ")}`);
}

type CsvInput = Readonly<Record<string, unknown>>;

/**
 * Yields the response as a table, reading page after page on demand: all rows if the caller set no `limit`. Throws if
 * a later page fails, so a partial table never looks complete.
 */
export async function* tableOf(
  operation: Pick<Operation, "csv" | "pages">,
  first: Answer,
  { input, isWhole, ask }: Paging,
): AsyncGenerator<string> {
  const { csv, pages } = operation;
  if (!csv) return;
  let { body } = first;
  yield csv(body);
  for (let next = nextIn(body); isWhole && pages && next !== null; next = nextIn(body)) {
    const page = await ask({ ...input, limit: pages, before: next });
    if (page.status !== 200) throw new Error(`the table ends early: ${JSON.stringify(page.body)}`);
    body = page.body;
    yield withoutNames(csv(body));
  }
}

export interface Paging {
  readonly input: CsvInput;
  /** Whether no `limit` was set. */
  readonly isWhole: boolean;
  readonly ask: (input: CsvInput) => Promise<Answer>;
}

const nextIn = (body: unknown): string | null => (body as { readonly next?: string | null }).next ?? null;

// The first row contains the column names, which have no line break.
const withoutNames = (table: string): string => table.slice(table.indexOf("\r\n") + 2);
