import { MINUTE, SECOND } from "../../kernel/time.ts";
import { fieldOf } from "../ccxt/client/ccxt.ts";
import { bestPrices, type StreamDialect, type StreamReading } from "./dialect.ts";
import { protobufFields, protobufText } from "./protobuf.ts";

const DEALS = "spot@private.deals.v3.api.pb";
const BEST_PRICES = "spot@public.aggre.bookTicker.v3.api.pb@100ms@";

/** Numbers of the fields in its protobuf messages. */
const FIELD = { channel: 1, symbol: 3, price: 315 };
const PRICE = { bid: 1, ask: 3 };

export const mexcStream: StreamDialect = {
  hosts: { private: "wss://wbs-api.mexc.com", public: "wss://wbs-api.mexc.com" },
  isSplit: false,
  ping: JSON.stringify({ method: "PING" }),
  silentAfter: 25 * SECOND,
  // A listen key lasts 60 minutes.
  renewEvery: 20 * MINUTE,

  async address(line, { call }) {
    if (line === "public") return { path: "/ws" };
    const listenKey = fieldOf(
      await call((exchange) => exchange.spotPrivatePostUserDataStream({})),
      "listenKey",
    );
    return {
      path: `/ws?listenKey=${listenKey}`,
      renew: () => call((exchange) => exchange.spotPrivatePutUserDataStream({ listenKey })),
    };
  },

  fills: async () => subscription([DEALS], true),
  prices: (markets, isOn) => [
    subscription(
      markets.map((market) => BEST_PRICES + market),
      isOn,
    ),
  ],

  read: (message) => (typeof message === "string" ? controlIn(message) : dataIn(message)),
};

const subscription = (params: readonly string[], isOn: boolean) => ({
  text: JSON.stringify({ method: isOn ? "SUBSCRIPTION" : "UNSUBSCRIPTION", params }),
  confirmations: isOn ? 1 : 0,
});

function controlIn(message: string): StreamReading[] {
  if (message === "Invalid listen key")
    return [{ kind: "refused", reason: message, isPrivate: true, isKeys: false }];
  const text = String(fieldOf(JSON.parse(message), "msg"));
  if (text.startsWith("Not Subscribed"))
    return [{ kind: "refused", reason: text, isPrivate: text.includes(DEALS), isKeys: false }];
  return text.startsWith("spot@") ? [{ kind: "confirmed" }] : [];
}

function dataIn(message: Uint8Array): StreamReading[] {
  const fields = protobufFields(message);
  const channel = protobufText(fields, FIELD.channel);
  const market = protobufText(fields, FIELD.symbol);
  if (channel === DEALS) return [{ kind: "fill", market: market || undefined }];
  const best = fields.get(FIELD.price);
  if (!best || !channel.startsWith(BEST_PRICES)) return [];
  const prices = protobufFields(best);
  return bestPrices(market, protobufText(prices, PRICE.bid), protobufText(prices, PRICE.ask));
}
