/** The path of a strategy's page, by its kind. */
export const KIND_PATHS = { grid: "strategy", quote: "quotes", declared: "own" } as const;

/** Returns the path of a kind's pages; undefined if the page does not know the kind. */
export const pathOfKind = (kind: string | null): string | undefined =>
  kind === null ? undefined : (KIND_PATHS as Readonly<Record<string, string>>)[kind];

/** Returns the kind of a definition: a user's own has its own name. */
export const kindOfDefinition = (definition: string): KindName =>
  definition === "grid" || definition === "quote" ? definition : "declared";

export type KindName = keyof typeof KIND_PATHS;
