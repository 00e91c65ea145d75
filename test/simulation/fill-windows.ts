import { hashText, pseudorandomShare } from "../../src/kernel/hash.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { Span } from "../../src/model/order.ts";
import type { FillsOfSpan, FillsRead, VenueFill } from "../../src/ports/venue.ts";

/** How far one question for executions reaches on the simulated venue; it shows the newest of a span first. */
export interface FillWindows {
  readonly span: Millis;
  /** Rows of an answer. More of them that were made in one millisecond are shown whole. */
  readonly page: number;
}

const LIMITS: readonly FillWindows[] = [
  { span: Number.POSITIVE_INFINITY, page: Number.POSITIVE_INFINITY },
  { span: Number.POSITIVE_INFINITY, page: 2 },
  { span: 90_000, page: 5 },
  { span: 600_000, page: 1 },
];

/** Each seed has its own, without a draw of its own. */
export const windowsOf = (seed: number): FillWindows => LIMITS[seed % LIMITS.length] as FillWindows;

/** Rows that an answer shows in a way in which they cannot be read, each for half a minute. */
export type Illegible = (id: string, now: Millis) => boolean;

const HALF_MINUTE = 30_000;

export const illegibleRows =
  (seed: number, quietAt: Millis): Illegible =>
  (id, now) =>
    now < quietAt && pseudorandomShare(hashText(`${id} ${Math.floor(now / HALF_MINUTE)}`), seed) < 0.04;

/** Some fills, those that cannot be read by what can be read of them. */
export function legible(fills: readonly VenueFill[], isIllegible: Illegible, now: Millis): FillsRead {
  return {
    fills: fills.filter(({ id }) => !isIllegible(id, now)),
    unreadable: fills
      .filter(({ id }) => isIllegible(id, now))
      .map(({ id, orderId, at }) => ({ id, orderId, at, reason: "its fee cannot be read" })),
  };
}

/** Of all that a span holds, what one answer shows. */
export function windowed(
  { span, page }: FillWindows,
  request: Span,
  { now, ...answer }: { fills: readonly VenueFill[]; now: Millis },
): FillsOfSpan {
  const to = Math.min(request.to, request.from + span);
  const fills = answer.fills.filter(({ at }) => at >= request.from && at < to).sort((a, b) => a.at - b.at);
  const first = fills.at(-page)?.at ?? request.from;
  const from = fills.length > page ? first : request.from;
  return { fills: fills.filter(({ at }) => at >= from), unreadable: [], covered: { from, to }, now };
}
