import { NumberInput } from "./plan-area.tsx";
import type { RowColumn, TextRows } from "./row-checks.ts";
import { Choice, Field, FieldError, valueIn } from "./ui.tsx";

interface RowsProps {
  readonly label: string;
  /** What a row is, such as "market". */
  readonly noun?: string;
  readonly columns: readonly RowColumn[];
  readonly rows: TextRows;
  readonly change: (rows: TextRows) => void;
  readonly hint?: string;
  /** Whether what is wrong with a text is shown. */
  readonly isChecked?: boolean;
  /** What is wrong with all rows together. */
  readonly error?: string | undefined;
  readonly maximum?: number | undefined;
}

/** Values as rows, which can be added and removed. */
export function RowsField({ label, noun = "", columns, rows, change, hint, ...rest }: RowsProps) {
  const { isChecked = false, error = "", maximum = Number.POSITIVE_INFINITY } = rest;
  return (
    <fieldset class="wide">
      <legend>{label}</legend>
      {rows.map((cells, row) => (
        <div key={row} class="row">
          {columns.map((column, at) => {
            if (column.isIn?.(cells) === false) return null;
            const { label: name, kind, choices = [], check } = column;
            const props = { label: `${label} ${row + 1}, ${name}`, value: cells[at] ?? "" };
            // An input for a number says itself that its text is none.
            const isSaid = kind === "number" && !Number.isFinite(Number(props.value));
            const wrong = isChecked && !isSaid ? check?.(props.value, row, rows) : "";
            const typed = (text: string) => change(rows.with(row, cells.with(at, text)));
            return (
              <Field key={name} label={name} error={wrong}>
                {kind === "number" ? (
                  <NumberInput {...props} change={typed} />
                ) : kind === "choice" ? (
                  <Choice {...props} choices={choices} choose={typed} />
                ) : (
                  <input
                    aria-label={props.label}
                    autocomplete="off"
                    spellcheck={false}
                    value={props.value}
                    onInput={(event: Event) => typed(valueIn(event))}
                  />
                )}
              </Field>
            );
          })}
          <button
            type="button"
            aria-label={`Remove ${label} ${row + 1}`}
            onClick={() => change(rows.toSpliced(row, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      {rows.length < maximum ? (
        <button type="button" onClick={() => change([...rows, columns.map(({ initial }) => initial)])}>
          Add {noun}
        </button>
      ) : null}
      <FieldError>{error}</FieldError>
      {hint ? <small>{hint}</small> : null}
    </fieldset>
  );
}
