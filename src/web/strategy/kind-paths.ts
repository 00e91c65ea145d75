/** The path of a strategy's page, by its kind. */
export const KIND_PATHS = { grid: "strategy", quote: "quotes", declared: "own" } as const;

export type KindName = keyof typeof KIND_PATHS;
