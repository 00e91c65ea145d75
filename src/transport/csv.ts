import { AppError } from "../kernel/errors.ts";
import type { Operation } from "../operation.ts";
import type { Answer } from "./run.ts";

export type Format = "json" | "csv" | "html";

/** The forms that an operation answers in; the field is the surface's own, no operation reads it. */
export const formatsOf = ({ csv, html }: Pick<Operation, "csv" | "html">): readonly Format[] => [
  "json",
  ...(csv ? (["csv"] as const) : []),
  ...(html ? (["html"] as const) : []),
];

/** The form that the answer is wanted in: `format` says so, else Accept asks for a table. Throws on another format. */
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
 * The answer as a table, page after page as each is asked for: all rows, where the caller has named no `limit`. Throws
 * where a later page fails, so that what has been told is never taken for the whole.
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
  /** No `limit` was named. */
  readonly isWhole: boolean;
  readonly ask: (input: CsvInput) => Promise<Answer>;
}

const nextIn = (body: unknown): string | null => (body as { readonly next?: string | null }).next ?? null;

// The first row names the columns, which have no line break in them.
const withoutNames = (table: string): string => table.slice(table.indexOf("\r\n") + 2);
