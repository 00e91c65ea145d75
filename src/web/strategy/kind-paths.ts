/** The path of a strategy's page, by its kind. */
export const KIND_PATHS = { grid: "strategy", quote: "quotes", declared: "own" } as const;

/** Returns the path of a kind's pages; undefined if the page does not know the kind. */
export const pathOfKind = (kind: string | null): string | undefined =>
  kind === null ? undefined : (KIND_PATHS as Readonly<Record<string, string>>)[kind];

export type KindName = keyof typeof KIND_PATHS;
