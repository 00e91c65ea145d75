import { SECOND } from "../../kernel/time.ts";
import { type Dict, fieldOf, isDict } from "../ccxt/client/ccxt.ts";
import { base64Signature, bestPrices, type StreamDialect, type StreamReading } from "./stream-connection.ts";

/** Login, key, passphrase, timestamp and signature. */
const REFUSED_KEYS = ["30005", "30011", "30012", "30015"];

const topicCommand = (op: string, args: readonly Dict[]) => JSON.stringify({ op, args });

export const bitgetStream: StreamDialect = {
  hosts: { private: "wss://ws.bitget.com", public: "wss://ws.bitget.com" },
  isSplit: true,
  ping: "ping",
  silentAfter: 25 * SECOND,

  // Public messages are the same for both kinds of account.
  address: async (line, { isUnified }) => ({
    path: line === "private" && (await isUnified()) ? "/v3/ws/private" : `/v2/ws/${line}`,
  }),

  async login(line, { keys, now }) {
    if (line === "public") return undefined;
    const { key: apiKey, secret, passphrase = "" } = await keys();
    const timestamp = String(Math.floor(now() / SECOND));
    const sign = base64Signature(secret, `${timestamp}GET/user/verify`);
    return topicCommand("login", [{ apiKey, passphrase, timestamp, sign }]);
  },

  async fills({ isUnified }) {
    const topic = (await isUnified())
      ? { instType: "UTA", topic: "fill" }
      : { instType: "SPOT", channel: "fill", instId: "default" };
    return { text: topicCommand("subscribe", [topic]), confirmations: 1 };
  },

  prices: (markets, isOn) => [
    {
      text: topicCommand(
        isOn ? "subscribe" : "unsubscribe",
        markets.map((instId) => ({ instType: "SPOT", channel: "ticker", instId })),
      ),
      confirmations: isOn ? markets.length : 0,
    },
  ],

  read(message) {
    if (message === "pong") return [];
    const { event, arg, data, code, msg } = JSON.parse(String(message)) as Record<string, unknown>;
    const topic = fieldOf(arg, "channel") ?? fieldOf(arg, "topic");
    if (event === "error") {
      const isKeys = REFUSED_KEYS.includes(String(code));
      const isPrivate = topic !== "ticker";
      return [{ kind: "refused", reason: `${msg} (${code})`, isPrivate, isKeys }];
    }
    if (event === "login") return [{ kind: "login" }];
    if (event === "subscribe") return [{ kind: "confirmed" }];
    if (!Array.isArray(data)) return [];
    return data
      .filter(isDict)
      .flatMap((row) =>
        topic === "fill"
          ? fillIn(row)
          : topic === "ticker"
            ? bestPrices(row.instId, row.bidPr, row.askPr)
            : [],
      );
  },
};

const fillIn = ({ symbol }: Dict): StreamReading[] => [
  { kind: "fill", market: symbol === undefined ? undefined : String(symbol) },
];
