export const ALIASES: Readonly<Record<string, string>>;
export const EDGE_ALIASES: Readonly<Record<string, string>>;
