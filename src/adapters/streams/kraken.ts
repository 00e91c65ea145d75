import { SECOND } from "../../kernel/time.ts";
import { type Dict, fieldOf, isDict } from "../ccxt/client/ccxt.ts";
import { bestPrices, type StreamDialect } from "./stream-connection.ts";

/** Numbers outside of texts, which JavaScript would round. */
const NUMBERS = /":\s?(-?\d+(?:\.\d+)?)(?=[,}\]])/g;

export const krakenStream: StreamDialect = {
  hosts: { private: "wss://ws-auth.kraken.com", public: "wss://ws.kraken.com" },
  isSplit: true,
  ping: JSON.stringify({ method: "ping" }),
  // It sends a heartbeat about every second.
  silentAfter: 10 * SECOND,
  marketOf: streamNameOf,
  address: async () => ({ path: "/v2" }),

  // The token comes from a signed call, so it waits for its turn among the account's nonces.
  async fills({ call }) {
    const response = await call((exchange) => exchange.privatePostGetWebSocketsToken({}));
    const params = {
      channel: "executions",
      snap_orders: false,
      snap_trades: false,
      token: fieldOf(fieldOf(response, "result"), "token"),
    };
    return { text: JSON.stringify({ method: "subscribe", params }), confirmations: 1 };
  },

  prices: (markets, isOn) => [
    {
      text: JSON.stringify({
        method: isOn ? "subscribe" : "unsubscribe",
        params: { channel: "ticker", event_trigger: "bbo", symbol: markets },
      }),
      confirmations: isOn ? markets.length : 0,
    },
  ],

  read(message) {
    const quoted = String(message).replace(NUMBERS, '":"$1"');
    const { method, success, error, symbol, channel, type, data } = JSON.parse(quoted) as Dict;
    // A refused price names its pair; a refused token does not.
    if (success === false)
      return [
        {
          kind: "refused",
          reason: String(error),
          isPrivate: symbol === undefined,
          isKeys: /permission/i.test(String(error)),
        },
      ];
    if (method === "subscribe") return [{ kind: "confirmed" }];
    if (!Array.isArray(data)) return [];
    const rows = data.filter(isDict);
    if (channel === "ticker") return rows.flatMap(({ symbol, bid, ask }) => bestPrices(symbol, bid, ask));
    if (channel !== "executions" || type !== "update") return [];
    return rows
      .filter(({ exec_type }) => exec_type === "trade")
      .map((row) => ({ kind: "fill", market: String(row.symbol) }));
  },
};

/** Assets that the second version of the streams names otherwise than the market list. */
const RENAMED: Readonly<Record<string, string>> = { XBT: "BTC", XDG: "DOGE" };

/** Returns a pair's name by the exchange, which can differ from ccxt's: LUNA is Luna Classic there. */
function streamNameOf({ symbol, info }: Dict): string {
  const assets = String(fieldOf(info, "wsname") ?? symbol).split("/");
  return assets.map((asset) => RENAMED[asset] ?? asset).join("/");
}
