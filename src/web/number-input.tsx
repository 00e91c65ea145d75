import { valueIn } from "./ui.tsx";

/** An input for a number. Other text, such as 1,5, would be sent as no number, and the server could not name the reason. */
export function NumberInput({
  value,
  placeholder,
  change,
}: {
  value: string;
  placeholder?: string;
  change: (text: string) => void;
}) {
  const isNumber = Number.isFinite(Number(value));
  return (
    <>
      <input
        inputMode="decimal"
        autocomplete="off"
        placeholder={placeholder}
        aria-invalid={isNumber ? undefined : "true"}
        value={value}
        onInput={(event: Event) => change(valueIn(event))}
      />
      {isNumber ? null : (
        <small class="warn" role="status">
          Write numbers as 1234.5: a point for decimals, and no other separators.
        </small>
      )}
    </>
  );
}
