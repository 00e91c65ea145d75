import { text } from "../../src/kernel/decimal.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import { HOUR } from "../../src/kernel/time.ts";
import type { Venue } from "../../src/ports/venue.ts";

/** Runs a call, and prints how long it took and what it told. */
export async function timed<T>(name: string, call: () => Promise<T>, tell: (found: T) => string): Promise<T> {
  const startedAt = performance.now();
  const found = await call();
  console.log(`  ${name} (${Math.round(performance.now() - startedAt)} ms): ${tell(found)}`);
  return found;
}

export async function askPublic(venue: Venue, symbol: Pair): Promise<void> {
  await timed(
    "market",
    () => venue.market(symbol),
    ({ tick, lot, minAmount, minNotional, active, maker, taker }) =>
      `tick ${text(tick)}, lot ${text(lot)}, least ${text(minAmount)} and ${text(minNotional)}, fees ${text(maker)}/${text(taker)}${active ? "" : ", NOT ACTIVE"}`,
  );
  await timed(
    "ticker",
    () => venue.ticker(symbol),
    ({ bid, ask, last, at }) => `${text(bid)} / ${text(ask)}, last ${text(last)}, ${Date.now() - at} ms old`,
  );
  await timed(
    "book",
    () => venue.book(symbol, 100),
    ({ bids, asks, at }) => `${bids.length} bids, ${asks.length} asks, ${Date.now() - at} ms old`,
  );
  await timed(
    "trades",
    () => venue.trades(symbol, 500),
    (trades) =>
      `${trades.length}, ${new Set(trades.map(({ id }) => id)).size} different ids, newest ${Date.now() - (trades[0]?.at ?? 0)} ms old`,
  );
  await timed(
    "candles",
    () => venue.candles(symbol, { span: HOUR, limit: 100 }),
    (candles) => `${candles.length}, the last began ${new Date(candles.at(-1)?.at ?? 0).toISOString()}`,
  );
}
