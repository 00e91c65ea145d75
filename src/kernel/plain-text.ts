/** Characters that act on a terminal or hide what a text says: controls, direction marks, zero widths, tags. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** Text from elsewhere as one visible line of at most `most` characters: it is data, never an instruction. */
export function plainText(text: string, most = 500): string {
  const visible = text
    .slice(0, 4 * most)
    .replace(HIDDEN, " ")
    .trim();
  if (visible.length <= most) return visible;
  // Half of a character that takes two units would be no text.
  return `${visible.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** The same value with every text in it plain, names of fields too. */
export function plainTexts(value: unknown): unknown {
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value)) return value.map(plainTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [plainText(name), plainTexts(part)]));
}
