import { MINUTE, SECOND } from "../../kernel/time.ts";
import { fieldOf } from "../ccxt/client/ccxt.ts";
import { bestPrices, type StreamDialect, type StreamReading } from "./stream-connection.ts";

const DEALS = "spot@private.deals.v3.api.pb";
const BEST_PRICES = "spot@public.aggre.bookTicker.v3.api.pb@100ms@";

/** Numbers of the fields in its protobuf messages. */
const FIELD = { channel: 1, symbol: 3, price: 315 };
const PRICE = { bid: 1, ask: 3 };

const subscription = (params: readonly string[], isOn: boolean) => ({
  text: JSON.stringify({ method: isOn ? "SUBSCRIPTION" : "UNSUBSCRIPTION", params }),
  confirmations: isOn ? 1 : 0,
});

/** Returns a field's text; empty if it is absent. */
const protobufText = (fields: ReadonlyMap<number, Uint8Array>, number: number): string =>
  new TextDecoder().decode(fields.get(number));

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

/** Fields of a protobuf message by number: text and messages as bytes; numbers are skipped. Throws if it is broken. */
function protobufFields(bytes: Uint8Array): Map<number, Uint8Array> {
  const fields = new Map<number, Uint8Array>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("the message is cut off");
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const type = tag % 8;
    if (type === 0) varint();
    else if (type === 1) at += 8;
    else if (type === 5) at += 4;
    else if (type === 2) {
      const length = varint();
      if (at + length > bytes.length) throw new Error("the message is cut off");
      fields.set(Math.floor(tag / 8), bytes.subarray(at, at + length));
      at += length;
    } else throw new Error(`unknown wire type ${type}`);
  }
  return fields;
}
