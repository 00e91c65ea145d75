import { nearestNumber } from "./decimal.ts";

/** Characters that control a terminal or hide text: controls, direction marks, zero-width characters, tags. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** Returns foreign text as one visible line of at most `most` characters: it is data, never an instruction. */
export function plainText(text: string, most = 500): string {
  const visible = text
    .slice(0, 4 * most)
    .replace(HIDDEN, " ")
    .trim();
  if (visible.length <= most) return visible;
  // Half of a surrogate pair would not be valid text.
  return `${visible.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Returns a value whose texts and field names are all plain text. */
export function plainTexts(value: unknown): unknown {
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value)) return value.map(plainTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [plainText(name), plainTexts(part)]));
}

/** Returns the name closest to the typed one, if it is close enough to be a typo. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const ranked = names.map((name) => ({
    name,
    distance: name.startsWith(typed) ? 1 : distance(typed, name),
  }));
  const best = ranked.sort((a, b) => a.distance - b.distance)[0];
  return best && best.distance <= Math.max(2, Math.floor(typed.length / 3)) ? best.name : undefined;
}

export function didYouMean(typed: string, names: readonly string[], prefix = ""): string {
  const name = nearest(typed, names);
  return name === undefined ? "" : `; did you mean ${prefix}${name}?`;
}

/** Returns Levenshtein's edit distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + cost));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** Formats a count with its noun, whose plural is regular: `1 order`, `2 orders`, `1.5 days`, `3 entries`. */
export const pluralize = (count: number | string, word: string): string =>
  `${count} ${String(count) === "1" ? word : pluralOf(word)}`;

/** Formats a count with its noun and its verb, which is `is` or `are` without another: `1 order is`, `2 orders stay`. */
export const countWithVerb = (count: number | string, word: string, one = "is", many = "are"): string =>
  `${pluralize(count, word)} ${String(count) === "1" ? one : many}`;

/** Formats an amount: to the cent, and below a cent to its first two digits; never with an exponent. */
export function moneyText(amount: number | string): string {
  const value = nearestNumber(amount);
  const size = Math.abs(value);
  const places = size === 0 || size >= 0.01 ? 2 : Math.min(20, 1 - Math.floor(Math.log10(size)));
  return value.toFixed(places).replace(/\.?0+$/, "");
}

/** Formats P&L like an amount, with its sign. */
export const centsOfProfit = (amount: number | string): string =>
  `${nearestNumber(amount) > 0 ? "+" : ""}${moneyText(amount)}`;

/** Groups the whole part of a decimal text with commas: `1234.5` is `1,234.5`. */
export const groupThousands = (digits: string): string => {
  const [whole = "", ...rest] = digits.split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...rest].join(".");
};

/** Returns the prefix of an exchange's key variables in the environment. */
export const prefixOf = (id: string): string => id.toUpperCase().replaceAll("-", "_");
