import { decimal, text } from "./decimal.ts";

/** JSON in which a Decimal is the text `=1.5`; a string that begins with `=` is doubled. */
export const encode = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === "bigint") return `=${text(part)}`;
    return typeof part === "string" && part.startsWith("=") ? `=${part}` : part;
  });

/** The inverse of `encode`. The caller names the type that it stored. */
export const decode = <T>(json: string): T =>
  JSON.parse(json, (_key, part: unknown) => {
    if (typeof part !== "string" || !part.startsWith("=")) return part;
    return part.startsWith("==") ? part.slice(1) : decimal(part.slice(1));
  }) as T;
