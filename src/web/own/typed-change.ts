/** The change of a running strategy: from the texts of its form to the fields of a request, and back to texts. */
import { pluralize } from "../../kernel/plain-text.ts";
import { amount } from "../format.ts";
import {
  type AgainRequest,
  nested,
  type Setting,
  settingAt,
  settingLabel,
  settingValue,
  typedText,
} from "../start/settings.ts";
import type { AnyStrategy } from "../types.ts";

/** The user's edits only by field, because other values can change meanwhile. */
export type EditTexts = Readonly<Record<string, string>>;

/** Fields with which a strategy ends by itself; 0 removes one. */
export const REMOVABLE = ["stopLossPrice", "takeProfitPrice", "trailingStopPercent", "maxLoss", "endsAt"];

/** Returns the running config; that of a grid has the range in which it stands now. */
export const runningConfig = (one: AnyStrategy): AgainRequest => ({
  ...(one.startAgain.config as object),
  ...(one.kind === "grid" ? { ...one, ...one.rangeNow } : {}),
});

/** Returns the value of an emptied field: the one that removes it, or the default; undefined if it has none. */
function emptiedValue(setting: Setting): unknown {
  const { name, kind, unit, initial } = setting;
  if (kind === "defend") return "off";
  if (REMOVABLE.includes(name) || (name === "reinvest" && unit !== undefined)) return 0;
  return kind === "rows" || initial !== "" ? settingValue(setting, initial) : undefined;
}

interface TypedChange {
  /** The fields that differ from the running config, objects as a whole; undefined while none does. */
  readonly config: AgainRequest | undefined;
  /** Labels of emptied fields that only another value can replace. */
  readonly stuck: readonly string[];
}

/** Returns what the typed texts change. */
export function typedChange(one: AnyStrategy, settings: readonly Setting[], typed: EditTexts): TypedChange {
  const config = runningConfig(one);
  const changed = settings.flatMap((setting) => {
    const { name, path, initial } = setting;
    const text = typed[name]?.trim();
    if (text === undefined || (text || initial) === (typedText(setting, settingAt(config, path)) || initial))
      return [];
    return [{ setting, path, value: text === "" ? emptiedValue(setting) : settingValue(setting, text) }];
  });
  const stuck = changed
    .filter(({ value }) => value === undefined)
    .map(({ setting }) => settingLabel(setting, one.symbol));
  if (changed.length === 0 || stuck.length > 0) return { config: undefined, stuck };
  const next = nested(
    changed.map(({ path, value }) => [path, value] as const),
    { ...config },
  );
  return { config: Object.fromEntries(changed.map(({ path: [name = ""] }) => [name, next[name]])), stuck };
}

/** Returns a typed text in the words of its field. */
export function shownText({ kind, choices }: Setting, text: string): string {
  if (kind === "choice") return choices.find(([value]) => value === text)?.[1] ?? text;
  const [ticks, passes] = text.split(":");
  if (kind !== "defend" || passes === undefined) return text;
  const deed = ticks === "pause" ? "Cancel its orders" : `Move it ${pluralize(ticks ?? "", "tick")} away`;
  return `${deed} for ${pluralize(passes, "pass")}`;
}

/** Returns a value of a planned change as it was typed. */
export function changedText(setting: Setting | undefined, text: string): string {
  const typed = setting?.kind === "number" && text !== "none" ? typedText(setting, text) : text;
  if (Number.isFinite(Number(typed))) return amount(typed);
  return setting ? shownText(setting, text === "none" && setting.initial ? setting.initial : text) : text;
}
