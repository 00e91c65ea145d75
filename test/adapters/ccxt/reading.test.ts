import { describe, expect, it } from "vitest";
import type { Dict } from "../../../src/adapters/ccxt/ccxt.ts";
import { kraken } from "../../../src/adapters/ccxt/kraken.ts";
import { balancesOf, candleOf, orderOf, tradeOf } from "../../../src/adapters/ccxt/reading.ts";
import { VenueError } from "../../../src/errors.ts";

const AT = 1_767_225_600_000;
const ORDER = {
  id: "O1",
  symbol: "BTC/USDT",
  side: "buy",
  type: "limit",
  price: "50000",
  amount: "0.5",
  filled: "0.5",
  cost: "25000",
  status: "closed",
  timestamp: AT,
};
const TRADE = { id: "1", side: "buy", price: "50000", amount: "0.5", timestamp: AT };
const BALANCE = { total: { BTC: "3" }, BTC: { free: "1", used: "2", total: "3" } };

const READ: Readonly<Record<string, (told: Dict) => unknown>> = {
  "an order": (told) => orderOf(told, kraken, AT),
  "a trade": tradeOf,
  "a balance": (told) => balancesOf(told, kraken),
  "a candle": ({ row }) => candleOf(row as unknown[]),
};

describe("an answer that lacks what money depends on is a failed read", () => {
  it.each<[string, Dict, Dict]>([
    ["an order, without how much of it was filled", ORDER, { ...ORDER, filled: undefined }],
    ["a trade, without its time", TRADE, { ...TRADE, timestamp: undefined }],
    ["a balance, without what is in orders", BALANCE, { ...BALANCE, BTC: { free: "1" } }],
    ["a candle, without its time", { row: [AT, 1, 2, 1, 2, 5] }, { row: [undefined, 1, 2, 1, 2, 5] }],
  ])("%s", (name, whole, lacking) => {
    const read = READ[name.split(",")[0] as string] as (told: Dict) => unknown;
    expect(() => read(whole)).not.toThrow();
    expect(() => read(lacking)).toThrow(VenueError);
  });
});
