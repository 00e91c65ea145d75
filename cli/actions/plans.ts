/** Date on which the platforms' monthly prices were read from their pages; update it with them. */
export const PRICES_OF = "2026-11-21";

export interface PricePlan {
  readonly name: string;
  /** In US dollars, without usage beyond `included`. */
  readonly price: number;
  readonly included: Readonly<Record<Unit, number>>;
  /** Dollars per million additional units; null if the plan sells none. */
  readonly beyond: Readonly<Record<Unit, number | null>>;
}

/** Worker invocations, queue operations, and database rows. */
export type Unit = "invocations" | "queueOperations" | "rowsRead" | "rowsWritten";

const MILLION = 1_000_000;

/** Workers and Turso: for each, the cheapest plan that can run everything, and the next one. */
export const PLANS: readonly PricePlan[] = [
  {
    // 10 ms of CPU per invocation is not enough for a pass; this plan is only for tests.
    name: "Workers Free + Turso Free",
    price: 0,
    included: {
      invocations: 100_000 * 30,
      queueOperations: 10_000 * 30,
      rowsRead: 500 * MILLION,
      rowsWritten: 10 * MILLION,
    },
    beyond: { invocations: null, queueOperations: null, rowsRead: null, rowsWritten: null },
  },
  {
    name: "Workers Paid + Turso Free",
    price: 5,
    included: {
      invocations: 10 * MILLION,
      queueOperations: MILLION,
      rowsRead: 500 * MILLION,
      rowsWritten: 10 * MILLION,
    },
    beyond: { invocations: 0.3, queueOperations: 0.4, rowsRead: null, rowsWritten: null },
  },
  {
    name: "Workers Paid + Turso Developer",
    price: 5 + 4.99,
    included: {
      invocations: 10 * MILLION,
      queueOperations: MILLION,
      rowsRead: 2500 * MILLION,
      rowsWritten: 25 * MILLION,
    },
    beyond: { invocations: 0.3, queueOperations: 0.4, rowsRead: 0.001, rowsWritten: 1 },
  },
];
