/** Kraken's market list, ticker and candles. */
import { text } from "../../src/kernel/decimal.ts";
import { MINUTE, SECOND } from "../../src/kernel/time.ts";
import { decimalsOf, type Listing } from "./catalog.ts";
import { type Ask, ok, type PrivateAsk, padded, type Reply } from "./dialect.ts";
import { altnameOf, assetId, error, formOf, idOf, listingOf, result } from "./kraken-words.ts";
import { candlesOf, figuresOf } from "./public.ts";

export const market = (listing: Listing) => ({
  altname: altnameOf(listing),
  wsname: `${listing.base === "BTC" ? "XBT" : listing.base}/${listing.quote}`,
  aclass_base: "currency",
  base: assetId(listing.base),
  aclass_quote: "currency",
  quote: assetId(listing.quote),
  lot: "unit",
  cost_decimals: 5,
  pair_decimals: decimalsOf(listing.tick),
  lot_decimals: decimalsOf(listing.lot),
  lot_multiplier: 1,
  leverage_buy: [],
  leverage_sell: [],
  fees: [[0, Number(text(listing.taker * 100n))]],
  fees_maker: [[0, Number(text(listing.maker * 100n))]],
  fee_volume_currency: "ZUSD",
  margin_call: 80,
  margin_stop: 40,
  ordermin: text(listing.minAmount),
  costmin: text(listing.minNotional),
  tick_size: text(listing.tick),
  status: listing.active ? "online" : "cancel_only",
});

export function ticker(listing: Listing, { engine, now }: Ask): Reply {
  const { last, bid, ask, open, high, low, baseVolume } = figuresOf(engine, listing, now);
  const two = (value: bigint) => [padded(value, 5), padded(value, 5)];
  return result({
    [idOf(listing)]: {
      a: [padded(ask.price, 5), "1", padded(ask.amount, 3)],
      b: [padded(bid.price, 5), "1", padded(bid.amount, 3)],
      c: [padded(last, 5), "0.00160710"],
      v: [padded(baseVolume, 8), padded(baseVolume, 8)],
      p: two(last),
      t: [6405, 21103],
      l: two(low),
      h: two(high),
      o: padded(open, 5),
    },
  });
}

export function candles(listing: Listing, { engine, now, request }: Ask): Reply {
  const span = Number(request.query.get("interval") ?? "1") * MINUTE;
  const since = request.query.get("since");
  // docs.kraken.com get-ohlc-data: the newest 720 after `since`, whatever it is, the one under way always the last.
  const after = since ? Number(since) * SECOND + 1 : undefined;
  const all = candlesOf(engine, listing, now, { span, limit: 720, since: after, keep: "newest" });
  return result({
    [idOf(listing)]: all.map(({ at, open, high, low, close, volume }) => [
      at / SECOND,
      ...[open, high, low, close, close].map((price) => padded(price, 5)),
      padded(volume, 8),
      12,
    ]),
    last: Math.floor(now / SECOND),
  });
}

export function tradeVolume({ request, engine }: PrivateAsk): Reply {
  const listing = listingOf(engine, formOf(request).get("pair") ?? "");
  if (!listing) return error("EQuery:Unknown asset pair");
  const rate = (share: bigint) => ({
    [idOf(listing)]: {
      fee: padded(share * 100n, 4),
      minfee: "0.0000",
      maxfee: padded(share * 100n, 4),
      nextfee: null,
      tiervolume: "0.0000",
      nextvolume: "50000.0000",
    },
  });
  return ok({
    error: [],
    result: {
      currency: "ZUSD",
      volume: "0.0000",
      fees: rate(listing.taker),
      fees_maker: rate(listing.maker),
    },
  });
}
