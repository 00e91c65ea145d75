import { describe, expect, it } from "vitest";
import { accountTotals } from "../../src/account/totals.ts";

describe("the total of accounts", () => {
  it("adds decimals without rounding, and keeps kinds of money apart", () => {
    expect(
      accountTotals([
        { exchange: "kraken", kind: "live", balances: [{ asset: "USDT", worth: "0.1" }] },
        { exchange: "mexc", kind: "live", balances: [{ asset: "USDT", worth: "0.2" }] },
        { exchange: "box", kind: "sandbox", balances: [{ asset: "USDT", worth: "1000" }] },
      ]),
    ).toEqual([
      { kind: "live", worth: "0.3", missing: [] },
      { kind: "sandbox", worth: "1000", missing: [] },
    ]);
  });

  it("names what has no price or cannot be read", () => {
    const [total] = accountTotals([
      {
        exchange: "kraken",
        kind: "live",
        balances: [
          { asset: "USDT", worth: "5" },
          { asset: "EUR", worth: null },
          { asset: "USD", worth: null },
        ],
        unreadable: [{ asset: "ADA", reason: "its amount is not a number" }],
      },
      { exchange: "mexc", kind: "live", error: "the exchange does not respond" },
    ]);
    expect(total).toEqual({
      kind: "live",
      worth: "5",
      missing: [
        "EUR, USD on kraken: no price there",
        "ADA on kraken: its amount is not a number",
        "mexc: the exchange does not respond",
      ],
    });
  });

  it("is unknown if nothing is known, and zero for an empty account", () => {
    const unread = { exchange: "mexc", kind: "live", error: "the exchange does not respond" };
    expect(accountTotals([unread])[0]?.worth).toBeNull();
    expect(accountTotals([{ exchange: "mexc", kind: "live", balances: [] }])[0]?.worth).toBe("0");
  });
});
