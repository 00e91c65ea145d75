import { max, snap } from "../../kernel/decimal.ts";
import { hashText, share } from "../../kernel/hash.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { BookChange, BookedFill, BookedOrder, VenueBooks } from "../../market/matching/books.ts";
import { type Corner, crossing } from "../../market/matching/corner.ts";
import { execute, holdingsAfter } from "../../market/matching/executing.ts";
import type { Market } from "../../model/market.ts";
import type { PricePath } from "./path.ts";

/** How simulated orders meet the price. */
export interface MatchingRules {
  /** `touch` fills when the price reaches the order's, `cross` when it passes it. */
  readonly fill: "touch" | "cross";
  /** Whether some orders fill in two parts. */
  readonly parts: boolean;
}

export interface ListedPath {
  readonly market: Market;
  readonly path: PricePath;
}

export type Listings = (symbol: string) => ListedPath | undefined;

/** After a part fill the rest waits for the next quarter of a minute. */
const BUCKET: Millis = 15 * SECOND;
const PART_SHARE = 0.125;

/** Lets resting orders meet the price up to `until`, in time order. Undefined when none fills. */
export function fillResting(
  books: VenueBooks,
  until: Millis,
  listings: Listings,
  rules: MatchingRules,
): BookChange | undefined {
  const movements = books.open.flatMap((order) => {
    const listed = listings(order.symbol);
    return listed
      ? [
          {
            market: listed.market,
            before: order,
            ...met(order, listed, { from: books.settledAt, until }, rules),
          },
        ]
      : [];
  });
  const moved = movements.filter(({ fills }) => fills.length > 0);
  if (moved.length === 0) return undefined;
  return {
    settledAt: until,
    orders: moved.map(({ after }) => after),
    fills: moved.flatMap(({ fills }) => fills).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)),
    holdings: holdingsAfter(books.holdings, moved),
  };
}

interface MatchedSpan {
  readonly from: Millis;
  readonly until: Millis;
}

function met(
  order: BookedOrder,
  { market, path }: ListedPath,
  span: MatchedSpan,
  rules: MatchingRules,
): { after: BookedOrder; fills: BookedFill[] } {
  let after = order;
  const fills: BookedFill[] = [];
  while (after.filled < after.amount) {
    const at = meeting(after, market, path, span, rules);
    if (at === undefined) break;
    const amount = meetingAmount(after, market, at, rules);
    const executed = execute(after, market, { price: after.price, amount, rate: market.maker, at });
    fills.push(executed.fill);
    after = { ...executed.order, meetsFrom: (Math.floor(at / BUCKET) + 1) * BUCKET };
  }
  return { after, fills };
}

// One in eight orders gets half of its amount first; a function of the order, so any process decides alike.
function meetingAmount(order: BookedOrder, { lot }: Market, at: Millis, { parts }: MatchingRules) {
  const rest = order.amount - order.filled;
  const whole = !parts || order.fills > 0 || share(hashText(order.id), Math.floor(at / BUCKET)) >= PART_SHARE;
  return whole ? rest : max(lot, snap(rest / 2n, lot, "down"));
}

/** The first moment of the span at which the price is good enough for the order. */
function meeting(
  order: BookedOrder,
  { tick }: Market,
  path: PricePath,
  { from, until }: MatchedSpan,
  { fill }: MatchingRules,
): Millis | undefined {
  const start = Math.max(from, order.meetsFrom);
  if (start > until) return undefined;
  const limit = Number(order.price / tick) + (fill === "touch" ? 0 : order.side === "buy" ? -1 : 1);
  const good = order.side === "buy" ? (ticks: number) => ticks <= limit : (ticks: number) => ticks >= limit;
  let last: Corner = { at: start, ticks: path.at(start) };
  if (good(last.ticks)) return start;
  for (const corner of [...path.corners(start, until), { at: until, ticks: path.at(until) }]) {
    if (good(corner.ticks)) return crossing(last, corner, good);
    last = corner;
  }
  return undefined;
}
