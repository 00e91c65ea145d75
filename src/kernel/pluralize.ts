/** Formats a count with its noun, whose plural is regular: `1 order`, `2 orders`, `1.5 days`, `3 entries`. */
export const pluralize = (count: number | string, word: string): string =>
  `${count} ${String(count) === "1" ? word : pluralOf(word)}`;

const pluralOf = (word: string): string => (/[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`);
