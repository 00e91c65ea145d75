import { max, snap } from "../../kernel/decimal.ts";
import { hashText, share } from "../../kernel/hash.ts";
import type { Pair } from "../../kernel/pair.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { BookChange, BookedFill, BookedOrder, VenueBooks } from "../../market/matching/books.ts";
import { type Corner, crossing } from "../../market/matching/corner.ts";
import { execute, holdingsAfter, type Movement } from "../../market/matching/executing.ts";
import type { Market } from "../../model/market.ts";
import { type Course, courseOf, mayTouch } from "./course.ts";
import type { PricePath } from "./path.ts";

/** How simulated orders fill. */
export interface MatchingRules {
  /** `touch` fills when the price reaches the order's price, `cross` when it passes it. */
  readonly fill: "touch" | "cross";
  /** Whether some orders fill in two parts. */
  readonly parts: boolean;
}

export interface ListedPath {
  readonly market: Market;
  readonly path: PricePath;
}

export type Listings = (symbol: string) => ListedPath | undefined;

/** After a partial fill, the rest waits for the next quarter of a minute. */
const BUCKET: Millis = 15 * SECOND;
const PART_SHARE = 0.125;

interface Met extends ListedPath {
  readonly course: Course;
}

/**
 * Matches open orders with the price up to `until`, in time order. Undefined if none fills. Each symbol's price range
 * is computed once, and only the orders within it are checked further.
 */
export function fillResting(
  books: VenueBooks,
  until: Millis,
  listings: Listings,
  rules: MatchingRules,
): BookChange | undefined {
  const met = new Map<Pair, Met | undefined>();
  const moved: Movement[] = [];
  for (const order of books.open) {
    if (!met.has(order.symbol)) {
      const listed = listings(order.symbol);
      const span = { from: books.settledAt, until };
      met.set(order.symbol, listed && { ...listed, course: courseOf(listed, span) });
    }
    const meets = met.get(order.symbol);
    if (!meets || !mayTouch(meets.course, order)) continue;
    const { after, fills } = filledBy(order, meets, rules);
    if (fills.length > 0) moved.push({ market: meets.market, before: order, after, fills });
  }
  if (moved.length === 0) return undefined;
  return {
    settledAt: until,
    orders: moved.map(({ after }) => after),
    fills: moved.flatMap(({ fills }) => fills).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)),
    holdings: holdingsAfter(books.holdings, moved),
  };
}

function filledBy(
  order: BookedOrder,
  met: Met,
  rules: MatchingRules,
): { after: BookedOrder; fills: BookedFill[] } {
  const { market } = met;
  let after = order;
  const fills: BookedFill[] = [];
  while (after.filled < after.amount) {
    const at = meeting(after, met, rules);
    if (at === undefined) break;
    const amount = meetingAmount(after, market, at, rules);
    const executed = execute(after, market, { price: after.price, amount, rate: market.maker, at });
    fills.push(executed.fill);
    after = { ...executed.order, meetsFrom: (Math.floor(at / BUCKET) + 1) * BUCKET };
  }
  return { after, fills };
}

// One in eight orders gets half of its amount first; it depends only on the order, so every process decides the same.
function meetingAmount(order: BookedOrder, { lot }: Market, at: Millis, { parts }: MatchingRules) {
  const rest = order.amount - order.filled;
  const whole = !parts || order.fills > 0 || share(hashText(order.id), Math.floor(at / BUCKET)) >= PART_SHARE;
  return whole ? rest : max(lot, snap(rest / 2n, lot, "down"));
}

/** Returns the first time of the span at which the price is good enough for the order. */
function meeting(
  { side, price, meetsFrom }: BookedOrder,
  { market, path, course: { from, until, corners } }: Met,
  { fill }: MatchingRules,
): Millis | undefined {
  const start = Math.max(from, meetsFrom);
  if (start > until) return undefined;
  const limit = Number(price / market.tick) + (fill === "touch" ? 0 : side === "buy" ? -1 : 1);
  const good = side === "buy" ? (ticks: number) => ticks <= limit : (ticks: number) => ticks >= limit;
  let last: Corner = { at: start, ticks: path.at(start) };
  if (good(last.ticks)) return start;
  for (const corner of corners) {
    if (corner.at <= start) continue;
    if (good(corner.ticks)) return crossing(last, corner, good);
    last = corner;
  }
  return undefined;
}
