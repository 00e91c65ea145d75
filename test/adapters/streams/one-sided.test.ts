import { expect, it } from "vitest";
import { bitgetStream } from "../../../src/adapters/streams/bitget.ts";
import { gateioStream } from "../../../src/adapters/streams/gateio.ts";
import { krakenStream } from "../../../src/adapters/streams/kraken.ts";
import { decimal } from "../../../src/kernel/decimal.ts";

// A message that cannot be read starts a pass for every pair: a thin market may not do so with each change of its book.
it.each([
  [
    "gateio",
    gateioStream,
    (bid: string) => ({
      channel: "spot.book_ticker",
      event: "update",
      result: { s: "SNEK_USDT", b: bid, a: "2" },
    }),
  ],
  [
    "bitget",
    bitgetStream,
    (bid: string) => ({
      arg: { channel: "ticker" },
      data: [{ instId: "SNEK_USDT", bidPr: bid, askPr: "2" }],
    }),
  ],
  [
    "kraken",
    krakenStream,
    (bid: string) => ({
      channel: "ticker",
      type: "update",
      data: [{ symbol: "SNEK_USDT", bid: bid === "" ? null : Number(bid), ask: 2 }],
    }),
  ],
])("reads no price from a book of %s with an empty side", (_, dialect, message) => {
  const [bid, ask] = [decimal("1"), decimal("2")];
  expect(dialect.read(JSON.stringify(message("1")))).toEqual([
    { kind: "price", market: "SNEK_USDT", bid, ask },
  ]);
  expect(dialect.read(JSON.stringify(message("")))).toEqual([]);
});
