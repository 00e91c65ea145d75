import { Field } from "./ui.tsx";

/** A pair: typed, or chosen from those that the account holds. Focus empties the field, so that all are offered. */
export function PairField({
  value,
  pairs = [],
  change,
}: {
  value: string;
  pairs?: readonly string[] | undefined;
  change: (pair: string) => void;
}) {
  return (
    <Field label="Pair">
      <input
        list="pairs"
        value={value}
        autocomplete="off"
        spellcheck={false}
        onFocus={({ target }: Event) => {
          const input = target as HTMLInputElement;
          input.placeholder = input.value;
          input.value = "";
        }}
        onBlur={({ target }: Event) => {
          const input = target as HTMLInputElement;
          if (input.value === "") input.value = input.placeholder;
        }}
        onInput={({ target }: Event) => change((target as HTMLInputElement).value.toUpperCase())}
      />
      <datalist id="pairs">
        {pairs.map((pair) => (
          <option key={pair} value={pair} />
        ))}
      </datalist>
    </Field>
  );
}
