import { VenueError } from "../../kernel/errors.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { Book, Side } from "../../model/market.ts";
import type { VenueFault } from "../../model/venue-fault.ts";
import type { Local } from "../../ports/within-time.ts";
import { type BooksReading, readBooks } from "./booked-venue.ts";

/** Half of the time limit of a request, so each answer arrives, but a pass has time for only a few. */
const SLOW_ANSWER_MS: Millis = SECOND;

type ActiveFault = VenueFault | undefined;

/** Reads the books, unless the exchange fails; a slow one returns them later. */
export async function readDespiteFault<T extends BooksReading>(
  exchange: string,
  sleep: Local["sleep"],
  read: () => Promise<T>,
): Promise<T> {
  const reading = await readBooks(read());
  const kind = reading.fault?.kind;
  if (kind === "failing")
    throw new VenueError(
      "unavailable",
      `${exchange} cannot be reached, because it has a simulated fault; end it with \`edgemaker sandbox fault --exchange ${exchange} --clear\``,
    );
  if (kind !== "slow") return reading;
  await sleep(SLOW_ANSWER_MS);
  return readBooks(read());
}

/** Returns the market time that the exchange's market data show. */
export const shownTime = (fault: ActiveFault, at: Millis): Millis =>
  fault?.kind === "stale" ? Math.min(fault.from, at) : at;

const EMPTY_SIDES = { "no-bids": "bids", "no-asks": "asks" } as const;

/** Returns the side of the book that is empty, and undefined if the exchange shows both. */
export const emptySide = (fault: ActiveFault): "bids" | "asks" | undefined =>
  EMPTY_SIDES[fault?.kind as keyof typeof EMPTY_SIDES];

/** Returns whether an order of this side can meet nobody. */
export const meetsNobody = (fault: ActiveFault, side: Side): boolean =>
  emptySide(fault) === (side === "buy" ? "asks" : "bids");

export function faultyBook(book: Book, fault: ActiveFault, now: Millis): Book {
  const side = emptySide(fault);
  if (side) return { ...book, [side]: [] };
  return fault?.kind === "stale" ? { ...book, readAt: now } : book;
}
