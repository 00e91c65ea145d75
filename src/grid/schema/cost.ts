import * as z from "zod";
import { lazy } from "../../kernel/lazy.ts";
import { type CostDay, dateOf } from "../../model/usage.ts";

const CountedCostShape = lazy(() =>
  z.object({
    /** UTC day. */
    day: z.string(),
    /** Protocol time of the first and the last counted pass. */
    from: z.number(),
    to: z.number(),
    exchangeCalls: z.number(),
    databaseRequests: z.number(),
    rowsRead: z.number().nullable(),
    rowsWritten: z.number().nullable(),
  }),
);

/** Usage of a strategy's passes on the newest day with a pass, and on the day before. */
export const CostShape = lazy(() => CountedCostShape().extend({ before: CountedCostShape().nullable() }));

type Counts = z.input<ReturnType<typeof CountedCostShape>>;

export function costOut(
  days: readonly CostDay[],
  strategy: string,
): z.input<ReturnType<typeof CostShape>> | null {
  const counts = days.flatMap(({ day, from, to, of }): Counts[] => {
    const cost = of[strategy];
    return cost ? [{ day: dateOf(day), from, to, ...cost }] : [];
  });
  const [newest, before = null] = counts;
  return newest ? { ...newest, before } : null;
}
