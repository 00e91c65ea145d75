import type { ListedPath, Listings, MatchingRules } from "../../../src/adapters/sandbox/matching.ts";
import { max, snap } from "../../../src/kernel/decimal.ts";
import { hashText, share } from "../../../src/kernel/hash.ts";
import { type Millis, SECOND } from "../../../src/kernel/time.ts";
import {
  type BookChange,
  type BookedFill,
  type BookedOrder,
  type Corner,
  crossing,
  execute,
  holdingsAfter,
  type VenueBooks,
} from "../../../src/market/matching/placing.ts";

const BUCKET: Millis = 15 * SECOND;

/** What resting orders meet, where each walks every corner for itself: what the quick way is held against. */
export function fillWalkingAll(
  books: VenueBooks,
  until: Millis,
  listings: Listings,
  rules: MatchingRules,
): BookChange | undefined {
  const moved = books.open.flatMap((before) => {
    const listed = listings(before.symbol);
    if (!listed) return [];
    const { after, fills } = walked(before, listed, { from: books.settledAt, until }, rules);
    return fills.length === 0 ? [] : [{ market: listed.market, before, after, fills }];
  });
  if (moved.length === 0) return undefined;
  return {
    settledAt: until,
    orders: moved.map(({ after }) => after),
    fills: moved.flatMap(({ fills }) => fills).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)),
    holdings: holdingsAfter(books.holdings, moved),
  };
}

interface Span {
  readonly from: Millis;
  readonly until: Millis;
}

function walked(order: BookedOrder, { market, path }: ListedPath, span: Span, rules: MatchingRules) {
  let after = order;
  const fills: BookedFill[] = [];
  while (after.filled < after.amount) {
    const at = meeting(after, { market, path }, span, rules);
    if (at === undefined) break;
    const rest = after.amount - after.filled;
    const whole =
      !rules.parts || after.fills > 0 || share(hashText(after.id), Math.floor(at / BUCKET)) >= 0.125;
    const amount = whole ? rest : max(market.lot, snap(rest / 2n, market.lot, "down"));
    const executed = execute(after, market, { price: after.price, amount, rate: market.maker, at });
    fills.push(executed.fill);
    after = { ...executed.order, meetsFrom: (Math.floor(at / BUCKET) + 1) * BUCKET };
  }
  return { after, fills };
}

function meeting(
  order: BookedOrder,
  { market, path }: ListedPath,
  { from, until }: Span,
  { fill }: MatchingRules,
): Millis | undefined {
  const start = Math.max(from, order.meetsFrom);
  if (start > until) return undefined;
  const limit = Number(order.price / market.tick) + (fill === "touch" ? 0 : order.side === "buy" ? -1 : 1);
  const good = order.side === "buy" ? (ticks: number) => ticks <= limit : (ticks: number) => ticks >= limit;
  let last: Corner = { at: start, ticks: path.at(start) };
  if (good(last.ticks)) return start;
  for (const corner of [...path.corners(start, until), { at: until, ticks: path.at(until) }]) {
    if (good(corner.ticks)) return crossing(last, corner, good);
    last = corner;
  }
  return undefined;
}
