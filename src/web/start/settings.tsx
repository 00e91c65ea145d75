import type { Child } from "hono/jsx";
import { Field } from "../ui.tsx";

/** A number of a form; a percentage is sent as a share. */
export interface Setting {
  readonly name: string;
  readonly label: string;
  readonly hint?: Child;
  readonly isPercent?: boolean;
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
    {settings.map(({ name, label, hint }) => (
      <Field key={name} label={label} hint={hint}>
        <input
          inputMode="decimal"
          autocomplete="off"
          value={texts[name] ?? ""}
          onInput={({ target }: Event) => change({ ...texts, [name]: (target as HTMLInputElement).value })}
        />
      </Field>
    ))}
  </div>
);

/** Decimals of a share, so that 1.8 % is 0.018 and not a float's neighbor. */
const SHARE_DIGITS = 10;

/** Returns the filled-in settings as numbers; undefined while a required one is missing. */
export function settingsBody(
  settings: readonly Setting[],
  texts: SettingTexts,
): Readonly<Record<string, number>> | undefined {
  const textOf = ({ name }: Setting) => (texts[name] ?? "").trim();
  if (settings.some((one) => one.isRequired && textOf(one) === "")) return undefined;
  return Object.fromEntries(
    settings
      .filter((one) => textOf(one) !== "")
      .map((one) => [
        one.name,
        one.isPercent ? Number((Number(textOf(one)) / 100).toFixed(SHARE_DIGITS)) : Number(textOf(one)),
      ]),
  );
}
