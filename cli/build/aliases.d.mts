export const ALIASES: Readonly<Record<string, string>>;
