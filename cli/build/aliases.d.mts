export const ALIASES: Readonly<Record<string, string>>;
export const HASHES: string;
