import { AppError } from "../../kernel/errors.ts";
import { dayOf, type Millis } from "../../kernel/time.ts";
import { dateOf } from "../../model/usage.ts";
import type { NamedAgreement } from "../agreement.ts";
import { dayNumber } from "../agreement-schema.ts";
import { type ReportDays, requestedDays } from "./pair-report.ts";

/** Returns the requested days that the agreement covers. Throws AppError if there are none. */
export function agreedDays(
  { from, until, name }: NamedAgreement,
  request: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Millis,
): ReportDays {
  const last = Math.min(until ?? dayOf(now), dayOf(now));
  const to = request.to ?? dateOf(Math.max(last, request.from ? dayNumber(request.from) : last));
  const days = requestedDays({ ...request, to }, now);
  const agreed = { from: Math.max(days.from, from), to: Math.min(days.to, last) };
  if (agreed.from <= agreed.to) return agreed;
  throw new AppError(
    "Invalid request",
    `the agreement ${name} is from ${dateOf(from)} until ${until === null ? "no end" : dateOf(until)}, and has no past day in this period`,
  );
}

/** Returns the period before: last month for a part of a month, otherwise as many days. */
export function daysBefore({ from, to }: ReportDays): ReportDays {
  const [first, last] = [dateOf(from), dateOf(to)];
  if (!first.endsWith("-01") || first.slice(0, 7) !== last.slice(0, 7))
    return { from: 2 * from - to - 1, to: from - 1 };
  return { from: dayNumber(`${dateOf(from - 1).slice(0, 8)}01`), to: from - 1 };
}
