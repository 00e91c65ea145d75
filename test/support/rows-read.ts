/** Rows that a libSQL server has read for one statement. */
export interface RowsRead {
  readonly sql: string;
  readonly rows: number;
}

interface SentStatement {
  readonly sql?: string;
  readonly sql_id?: number;
}
interface SentRequest {
  readonly type: string;
  readonly sql?: string;
  readonly sql_id?: number;
  readonly stmt?: SentStatement;
  readonly batch?: { readonly steps: readonly { readonly stmt: SentStatement }[] };
}
interface ReadResult {
  readonly rows_read?: number;
}
interface Answered {
  readonly response?: {
    readonly result?: ReadResult & { readonly step_results?: readonly (ReadResult | null)[] };
  };
}

/** A `fetch` to a libSQL server that notes what each statement reads. Format: HRANA_2_SPEC.md of github.com/tursodatabase/libsql. */
export function rowsReadFetch() {
  const statements: RowsRead[] = [];
  const noting: typeof fetch = async (input, init) => {
    const sent = input instanceof Request ? await input.clone().text() : String(init?.body ?? "");
    const response = await fetch(input, init);
    if (sent) statements.push(...rowsReadOf(JSON.parse(sent), await response.clone().json()));
    return response;
  };
  return { fetch: noting, statements };
}

function rowsReadOf(
  { requests }: { readonly requests: readonly SentRequest[] },
  { results }: { readonly results: readonly Answered[] },
): RowsRead[] {
  const texts = new Map(requests.map(({ sql_id, sql }) => [sql_id, sql]));
  const textOf = ({ sql, sql_id }: SentStatement) => sql ?? texts.get(sql_id) ?? "";
  return requests.flatMap(({ stmt, batch }, place) => {
    const result = results[place]?.response?.result;
    const steps = batch?.steps.map((step, at) => ({ stmt: step.stmt, result: result?.step_results?.[at] }));
    const sent = [...(stmt ? [{ stmt, result }] : []), ...(steps ?? [])];
    // A step that did not run has no result.
    return sent.flatMap(({ stmt: one, result: read }) =>
      read ? [{ sql: textOf(one), rows: read.rows_read ?? Number.NaN }] : [],
    );
  });
}
