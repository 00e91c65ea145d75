import { useState } from "hono/jsx/dom";
import { Field, valueIn } from "./ui.tsx";

/**
 * A pair: typed, or chosen from those that the account holds. Focus empties the field, so that all are offered. A
 * value that arrives meanwhile does not change what is typed.
 */
export function PairField({
  value,
  pairs = [],
  change,
}: {
  value: string;
  pairs?: readonly string[] | undefined;
  change: (pair: string) => void;
}) {
  const [typing, setTyping] = useState<{ typed: string; before: string } | undefined>(undefined);
  const typed = (pair: string) => {
    setTyping({ typed: pair, before: typing?.before || value });
    change(pair);
  };
  return (
    <Field label="Pair">
      <input
        list="pairs"
        value={typing?.typed ?? value}
        placeholder={typing ? value || typing.before : ""}
        autocomplete="off"
        spellcheck={false}
        onFocus={() => setTyping({ typed: "", before: value })}
        onBlur={() => {
          if (value === "" && typing) change(typing.before);
          setTyping(undefined);
        }}
        onInput={(event: Event) => typed(valueIn(event).toUpperCase())}
      />
      <datalist id="pairs">
        {pairs.map((pair) => (
          <option key={pair} value={pair} />
        ))}
      </datalist>
    </Field>
  );
}
