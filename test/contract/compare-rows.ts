import type { Row } from "./rows.ts";

const path = "/price/compare";
const row = (name: string, query: Record<string, string>, label?: string, status = 400): Row => ({
  name,
  path,
  query,
  ...(label === undefined ? { status: 200 } : { status, label }),
});
const SYMBOL = { symbol: "BTC/USDT" };

/** Prices side by side. */
export const compareRows: Row[] = [
  {
    name: "every exchange",
    path,
    query: SYMBOL,
    status: 200,
    has: { symbol: "BTC/USDT", prices: "array", analysis: "object", unlisted: "array", timestamp: "number" },
  },
  row("no symbol", {}, "Missing symbol"),
  row("symbol with a hyphen", { symbol: "BTC-USDT" }, "Invalid symbol"),
  row("symbol in lower case", { symbol: "btc/usdt" }, "Invalid symbol"),
  row("a symbol that is listed nowhere", { symbol: "DOGE/USDT" }, "Invalid symbol"),
  row(
    "a symbol that is listed on none of those asked",
    { symbol: "BTC/EUR", exchanges: "mexc,gateio" },
    "Invalid symbol",
  ),
  row("a symbol that one of four lists", { symbol: "BTC/EUR" }),
  row("two exchanges", { ...SYMBOL, exchanges: "kraken,mexc" }),
  row("a space between two", { ...SYMBOL, exchanges: "kraken, mexc" }),
  row("one twice", { ...SYMBOL, exchanges: "kraken,kraken" }),
  row("an unknown exchange", { ...SYMBOL, exchanges: "kraken,binance" }, "Invalid exchange"),
  row("an exchange in upper case", { ...SYMBOL, exchanges: "KRAKEN" }, "Invalid exchange"),
  row("no exchange at all", { ...SYMBOL, exchanges: "" }, "Invalid exchange"),
  row("a comma too many", { ...SYMBOL, exchanges: "kraken," }, "Invalid exchange"),
  row("symbol before exchanges", { symbol: "x", exchanges: "binance" }, "Invalid symbol"),
  row("exchanges before the amount", { ...SYMBOL, exchanges: "binance", amount: "-1" }, "Invalid exchange"),
  row("an amount", { ...SYMBOL, amount: "0.5" }),
  ...["0", "-1", "", "much", "1e-19"].map((amount) =>
    row(`amount ${JSON.stringify(amount)}`, { ...SYMBOL, amount }, "Invalid amount"),
  ),
  ...["1", "yes", ""].flatMap((flag) => [
    row(`partial ${JSON.stringify(flag)}`, { ...SYMBOL, partial: flag }, "Invalid request"),
    row(`dex ${JSON.stringify(flag)}`, { ...SYMBOL, dex: flag }, "Invalid request"),
  ]),
  row("with the pools", { symbol: "INDY/USDT", dex: "true" }),
  row("a token that the pools alone have", { symbol: "NIGHT/USDT", dex: "true" }),
  row("a token that the pools alone have, without them", { symbol: "NIGHT/USDT" }, "Invalid symbol"),
  row("the pools of what is no token", { ...SYMBOL, dex: "true" }),
  { name: "partial", path, query: { ...SYMBOL, partial: "true" }, status: 200, has: { failed: "array" } },
];
