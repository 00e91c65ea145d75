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
