import { describe, expect, it } from "vitest";
import { TRADES_WAIT } from "../../../src/engine/reconcile/order-fills.ts";
import {
  addFee,
  fillOf,
  gapFill,
  gapIsDue,
  movementsOf,
  withBehind,
  withFill,
} from "../../../src/engine/reconcile/reconcile.ts";
import { d, market } from "../../support/grid.ts";
import { ACCOUNT, fill, idOf, NOW, order, SYMBOL, trade } from "../../support/made.ts";

const usdt = (amount: string) => ({ asset: "USDT", amount: d(amount) });

describe("a fill built from a trade", () => {
  it("belongs to its order and carries what the exchange reported", () => {
    expect(fillOf(order(), trade())).toEqual(fill());
    expect(fillOf(order(), trade(), true)).toEqual(fill({ superseded: true }));
    expect(fillOf(order({ strategy: null, side: "sell" }), trade())).toEqual(
      fill({ strategy: null, side: "sell" }),
    );
  });

  it("adds to its order's totals, with fees grouped by asset", () => {
    const [once, twice] = [withFill(order(), fill()), withFill(withFill(order(), fill()), fill())];
    expect(once).toEqual({
      ...order(),
      filled: d("1"),
      booked: d("1"),
      bookedNotional: d("100"),
      bookedFees: { USDT: d("0.1") },
    });
    expect(twice).toMatchObject({ filled: d("2"), booked: d("2"), bookedFees: { USDT: d("0.2") } });
    expect(withFill(order({ filled: d("2") }), fill()).filled).toBe(d("2"));
    expect(addFee({ BTC: d("1") }, usdt("2"))).toEqual({ BTC: d("1"), USDT: d("2") });
  });

  it.each([
    ["buy", "1", "-100"],
    ["sell", "-1", "100"],
  ] as const)("moves base and quote as a %s does, and deducts each fee", (side, base, quote) => {
    const fees = [usdt("0.1"), { asset: "KCS", amount: d("3") }];
    expect(movementsOf(SYMBOL, fill({ side, fees }))).toEqual([
      { asset: "BTC", amount: d(base) },
      usdt(quote),
      usdt("-0.1"),
      { asset: "KCS", amount: d("-3") },
    ]);
  });
});

describe("missing trades", () => {
  const behind = order({ filled: d("2"), booked: d("1"), behindSince: 5_000 });

  it.each([
    ["begin to be waited for", order({ filled: d("1") }), order(), NOW],
    ["are waited for from the first time on", behind, behind, 5_000],
    ["begin a new wait when more is filled", behind, { ...behind, filled: d("1.5") }, NOW],
    ["begin a new wait when one arrives", behind, { ...behind, booked: d("0.5") }, NOW],
    ["are none when all are there", order({ filled: d("2"), booked: d("2"), behindSince: 1 }), behind, null],
    ["are nobody's business of an order by hand", { ...behind, strategy: null }, behind, null],
  ])("%s", (_, after, before, since) => {
    expect(withBehind(after, before, NOW).behindSince).toBe(since);
  });

  it("return the same order object when nothing changes", () => {
    expect(withBehind(behind, behind, NOW)).toBe(behind);
    expect(withBehind(order(), order(), NOW).behindSince).toBe(null);
  });

  it("are given up only after their wait ends", () => {
    expect(gapIsDue(behind, 5_000 + TRADES_WAIT - 1)).toBe(false);
    expect(gapIsDue(behind, 5_000 + TRADES_WAIT)).toBe(true);
    expect(gapIsDue(order(), NOW)).toBe(false);
  });
});

describe("the part of an order's totals that its trades do not cover", () => {
  const whole = order({ filled: d("2"), notional: d("198"), fees: [usdt("0.5")] });

  it("becomes one fill, named after the order and its filled amount", () => {
    expect(gapFill(whole, 7)).toEqual({
      account: ACCOUNT,
      symbol: SYMBOL,
      clientId: idOf(),
      strategy: "g",
      side: "buy",
      tradeId: `order:x1:${d("2")}`,
      price: d("99"),
      amount: d("2"),
      notional: d("198"),
      fees: [usdt("0.5")],
      at: 7,
      superseded: false,
    });
  });

  it("is the remaining amount, notional and fees", () => {
    expect(gapFill(withFill(whole, fill()), 7)).toMatchObject({
      price: d("98"),
      amount: d("1"),
      notional: d("98"),
      fees: [usdt("0.4")],
    });
  });

  it("never has a negative quote amount", () => {
    expect(gapFill(withFill(whole, fill({ notional: d("199") })), 7)).toMatchObject({
      price: 0n,
      notional: 0n,
    });
  });

  it.each([
    ["buy", "unknown", { asset: "BTC", amount: d("0.004") }],
    ["buy", "base", { asset: "BTC", amount: d("0.004") }],
    ["buy", "quote", usdt("0.396")],
    ["sell", "base", usdt("0.396")],
  ] as const)(
    "has the higher rate as the fee of a %s, if its fee is unknown and in %s",
    (side, buyFeeIn, fee) => {
      const rates = market({ maker: d("0.001"), taker: d("0.002"), buyFeeIn });
      expect(gapFill({ ...whole, side, fees: null }, 7, rates)).toMatchObject({
        amount: d("2"),
        notional: d("198"),
        fees: [{ ...fee, isEstimated: true }],
      });
    },
  );

  it.each([{ notional: null }, { fees: null }])("is unknown with %o", (over) => {
    expect(gapFill({ ...whole, ...over }, 7)).toBeUndefined();
  });
});
