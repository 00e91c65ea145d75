/** Makes an exchange and a store fail as real ones do: lost responses, failed reads, and a process that ends anywhere. */
import { VenueError } from "../../../src/kernel/errors.ts";
import type { Store } from "../../../src/ports/stores/store.ts";
import type { Venue } from "../../../src/ports/venue.ts";

/** Shares of the calls that each fault hits. */
const SHARES = { crash: 0.02, lost: 0.08, failedRead: 0.02 };

export interface Faults {
  /** Whether faults happen. */
  isOn: boolean;
  lostResponses: number;
  failedReads: number;
  readonly draw: () => number;
  /** Ends the process at this point: the returned promise never settles. */
  crash: () => Promise<never>;
}

/** Returns the venue with faults: a write can take effect although its response is lost. */
export function faultyVenue(venue: Venue, faults: Faults): Venue {
  const hits = (share: number) => faults.isOn && faults.draw() < share;
  const write = async <T>(send: () => Promise<T>): Promise<T | Lost> => {
    if (hits(SHARES.crash)) return faults.crash();
    if (hits(SHARES.lost)) return lostBefore(faults);
    const outcome = await send();
    if (hits(SHARES.crash)) return faults.crash();
    return hits(SHARES.lost) ? lostBefore(faults) : outcome;
  };
  const read = async <T>(send: () => Promise<T>): Promise<T> => {
    if (!hits(SHARES.failedRead)) return send();
    faults.failedReads++;
    throw new VenueError("unavailable", "the exchange did not respond");
  };
  return {
    ...venue,
    create: (order, permit) => write(() => venue.create(order, permit)),
    cancel: (order, permit) => write(() => venue.cancel(order, permit)),
    openOrders: (symbol) => read(() => venue.openOrders(symbol)),
    balances: () => read(() => venue.balances()),
    book: (symbol, limit) => read(() => venue.book(symbol, limit)),
    candles: (symbol, range) => read(() => venue.candles(symbol, range)),
    fills: (symbol, span) => read(() => venue.fills(symbol, span)),
  };
}

/** Returns the store, which the process can fail to reach after the exchange has responded. */
export const faultyStore = (store: Store, faults: Faults): Store => ({
  ...store,
  settle: (...given) =>
    faults.isOn && faults.draw() < SHARES.crash ? faults.crash() : store.settle(...given),
});

interface Lost {
  readonly result: "unknown";
  readonly reason: string;
}

function lostBefore(faults: Faults): Lost {
  faults.lostResponses++;
  return { result: "unknown", reason: "the response was lost" };
}
