import { createTapeReader } from "../../candles/tape/read.ts";
import type { TapeReading } from "../../candles/tape/tape.ts";
import { text } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Trade } from "../../model/market.ts";

/** Converts an exchange's public trades, in any order, to a tape like a file's. */
export function tapeOfTrades(pair: Pair, trades: readonly Trade[]): TapeReading {
  const reader = createTapeReader({ pair });
  const results = [...trades].sort((a, b) => a.at - b.at);
  const lines = results.map(({ id, at, price, amount }) =>
    JSON.stringify({ id, timestamp: at, price: text(price), amount: text(amount) }),
  );
  reader.push(new TextEncoder().encode(lines.join("\n")));
  return reader.end();
}
