import { SECOND } from "../../kernel/time.ts";
import { fieldOf, isDict } from "../ccxt/client/ccxt.ts";
import { bestPrices, hexSignature, type StreamDialect, type StreamReading } from "./stream-connection.ts";

const USER_TRADES = "spot.usertrades";
const BOOK_TICKER = "spot.book_ticker";
/** Its code for keys that it rejects. */
const AUTHENTICATION = "4";

export const gateioStream: StreamDialect = {
  hosts: { private: "wss://api.gateio.ws", public: "wss://api.gateio.ws" },
  isSplit: false,
  ping: JSON.stringify({ channel: "spot.ping" }),
  silentAfter: 25 * SECOND,
  address: async () => ({ path: "/ws/v4/" }),

  async fills({ keys, now }) {
    const { key, secret } = await keys();
    const time = Math.floor(now() / SECOND);
    const sign = hexSignature(secret, `channel=${USER_TRADES}&event=subscribe&time=${time}`);
    const auth = { method: "api_key", KEY: key, SIGN: sign };
    const request = { time, channel: USER_TRADES, event: "subscribe", payload: ["!all"], auth };
    return { text: JSON.stringify(request), confirmations: 1 };
  },

  prices: (markets, isOn) => [
    {
      text: JSON.stringify({
        channel: BOOK_TICKER,
        event: isOn ? "subscribe" : "unsubscribe",
        payload: markets,
      }),
      confirmations: isOn ? 1 : 0,
    },
  ],

  read(message) {
    const { channel, event, error, result } = JSON.parse(String(message)) as Record<string, unknown>;
    if (isDict(error)) return [refusedTopic(channel, error)];
    if (event === "subscribe") return [{ kind: "confirmed" }];
    if (event !== "update") return [];
    if (channel === USER_TRADES) return tradesIn(result);
    if (channel !== BOOK_TICKER) return [];
    return bestPrices(fieldOf(result, "s"), fieldOf(result, "b"), fieldOf(result, "a"));
  },
};

const refusedTopic = (
  channel: unknown,
  { code, message }: Readonly<Record<string, unknown>>,
): StreamReading => ({
  kind: "refused",
  reason: String(message),
  isPrivate: channel === USER_TRADES,
  // A wrong clock has the same code.
  isKeys: String(code) === AUTHENTICATION && !String(message).includes("expired"),
});

function tradesIn(rows: unknown): StreamReading[] {
  if (!Array.isArray(rows)) throw new Error("no list of fills");
  return rows.map((row) => ({ kind: "fill", market: String(fieldOf(row, "currency_pair")) }));
}
