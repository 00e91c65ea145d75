import type { Child } from "hono/jsx";
import { NumberInput } from "../number-input.tsx";
import { Field, valueIn } from "../ui.tsx";

/** A number or text of a form; a percentage is sent as a share. */
export interface Setting {
  readonly name: string;
  readonly label: string;
  readonly hint?: Child;
  readonly isPercent?: boolean;
  readonly isText?: boolean;
  readonly isRequired?: boolean;
}

export type SettingTexts = Readonly<Record<string, string>>;

export const NumberSettings = ({
  settings,
  texts,
  change,
}: {
  settings: readonly Setting[];
  texts: SettingTexts;
  change: (texts: SettingTexts) => void;
}) => (
  <div class="fields">
    {settings.map(({ name, label, hint, isText }) => (
      <Field key={name} label={label} hint={hint}>
        {isText ? (
          <input
            autocomplete="off"
            value={texts[name] ?? ""}
            onInput={(event: Event) => change({ ...texts, [name]: valueIn(event) })}
          />
        ) : (
          <NumberInput value={texts[name] ?? ""} change={(typed) => change({ ...texts, [name]: typed })} />
        )}
      </Field>
    ))}
  </div>
);

/** Decimals of a share, so that 1.8 % is 0.018 and not a float's neighbor. */
const SHARE_DIGITS = 10;

/** Returns the filled-in settings; undefined while a required one is missing. */
export function settingsBody(
  settings: readonly Setting[],
  texts: SettingTexts,
): Readonly<Record<string, number | string>> | undefined {
  const textOf = ({ name }: Setting) => (texts[name] ?? "").trim();
  if (settings.some((one) => one.isRequired && textOf(one) === "")) return undefined;
  return Object.fromEntries(
    settings.filter((one) => textOf(one) !== "").map((one) => [one.name, settingValue(one, textOf(one))]),
  );
}

function settingValue({ isText, isPercent }: Setting, text: string): number | string {
  if (isText) return text;
  return isPercent ? Number((Number(text) / 100).toFixed(SHARE_DIGITS)) : Number(text);
}
