import { useState } from "hono/jsx/dom";
import {
  marketColumns,
  marketRows,
  TOTAL_COLUMNS,
  totalRows,
  writeMarkets,
  writeTotal,
} from "./agreement-text.ts";
import { type ApiError, ask, part } from "./api.ts";
import { useLoad } from "./live.ts";
import { areRight, type TextRows } from "./row-checks.ts";
import { RowsField } from "./rows.tsx";
import type { AgreementList, Exchanges } from "./types.ts";
import { Failed, Field, valueIn } from "./ui.tsx";

export type AgreementRow = AgreementList["agreements"][number];

const EMPTY_AGREEMENT = { agreement: "", counterparty: "", from: "", until: "" };

const HEAD_FIELDS = [
  ["agreement", "Name", "", { maxLength: 40 }],
  ["counterparty", "Made with", "", { maxLength: 80 }],
  ["from", "First day, UTC", "Empty: today", { type: "date" }],
  ["until", "Last day, UTC", "Empty: no end", { type: "date" }],
] as const;

interface TypedAgreement extends Readonly<typeof EMPTY_AGREEMENT> {
  readonly markets: TextRows;
  readonly total: TextRows;
}

const typedOf = ({ agreement, counterparty, from, until, text }: AgreementRow): TypedAgreement => ({
  agreement,
  counterparty: counterparty ?? "",
  from: from ?? "",
  until: until ?? "",
  markets: marketRows(text.markets),
  total: totalRows(text.total),
});

const bodyOf = ({ counterparty, from, until, markets, total }: TypedAgreement) => ({
  counterparty: counterparty.trim() || "none",
  from: from || undefined,
  until: until || "none",
  markets: writeMarkets(markets),
  total: writeTotal(total),
});

function send(typed: TypedAgreement, of: AgreementRow | undefined): Promise<unknown> {
  const { agreement } = typed;
  const body = bodyOf(typed);
  if (!of) return ask("POST /agreements", { body: { agreement, ...body } });
  const before: Readonly<Record<string, unknown>> = bodyOf(typedOf(of));
  // A market of an exchange that the settings no longer list can stay only as it is.
  const changes = Object.entries(body).filter(([name, value]) => value !== before[name]);
  return ask(`PATCH /agreements/${part(agreement)}`, { body: Object.fromEntries(changes) });
}

interface AgreementFormProps {
  /** The agreement that is changed; undefined for a new one. */
  readonly of: AgreementRow | undefined;
  readonly agreements: readonly AgreementRow[];
  /** Takes what was done; without a text, nothing was. */
  readonly done: (message?: string) => void;
}

/** Creates an agreement, or changes one. */
export function AgreementForm({ of, agreements, done }: AgreementFormProps) {
  const exchanges = useLoad<Exchanges>("GET /exchanges").data?.exchanges.map(({ id }) => id) ?? [];
  const [typed, setTyped] = useState<TypedAgreement>(
    of ? typedOf(of) : { ...EMPTY_AGREEMENT, markets: [], total: [] },
  );
  const [isChecked, setChecked] = useState(false);
  const [error, setError] = useState<ApiError>();
  const change = (more: Partial<TypedAgreement>) => setTyped((now) => ({ ...now, ...more }));
  const { agreement, from, until, markets, total } = typed;
  const columns = marketColumns([...new Set([...exchanges, ...markets.map(([id = ""]) => id)])]);
  const wrong: Partial<Record<keyof TypedAgreement, string>> = {
    agreement: of ? "" : checkName(agreement, agreements),
    until: until !== "" && until < from ? "The last day must not be before the first day." : "",
    markets: markets.length === 0 ? "Add a market." : "",
  };
  const isWrong =
    Object.values(wrong).some(Boolean) || !areRight(columns, markets) || !areRight(TOTAL_COLUMNS, total);
  const submit = (event: Event) => {
    event.preventDefault();
    setChecked(true);
    if (!isWrong)
      send(typed, of)
        .then(() => done(`The agreement ${agreement} is ${of ? "changed" : "created"}.`))
        .catch(setError);
  };
  return (
    <form class="fields" aria-label="Terms of an agreement" onSubmit={submit}>
      {HEAD_FIELDS.map(([name, label, hint, input]) => (
        <Field key={name} label={label} hint={hint} error={isChecked ? wrong[name] : ""}>
          <input
            {...input}
            value={typed[name]}
            disabled={name === "agreement" && of !== undefined}
            onInput={(event: Event) => change({ [name]: valueIn(event) })}
          />
        </Field>
      ))}
      <RowsField
        label="Market"
        noun="a market"
        columns={columns}
        rows={markets}
        change={(rows) => change({ markets: rows })}
        isChecked={isChecked}
        error={isChecked ? wrong.markets : ""}
      />
      <RowsField
        label="All markets of a pair together"
        noun="rules"
        columns={TOTAL_COLUMNS}
        rows={total}
        change={(rows) => change({ total: rows })}
        isChecked={isChecked}
        maximum={1}
      />
      <div class="wide actions">
        <button type="submit" class="primary">
          {of ? "Change agreement" : "Create agreement"}
        </button>
        {of ? (
          <button type="button" onClick={() => done()}>
            Cancel
          </button>
        ) : null}
      </div>
      {error ? <Failed error={error} /> : null}
    </form>
  );
}

function checkName(name: string, agreements: readonly AgreementRow[]): string {
  if (!/^[A-Za-z][\w.-]{0,39}$/.test(name))
    return "Begin with a letter, and use letters, digits, - _ and . only.";
  return agreements.some(({ agreement }) => agreement === name) || name === "settings"
    ? "Another agreement has this name."
    : "";
}
