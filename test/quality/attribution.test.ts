import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bookTrade,
  NO_POSITION,
  type PositionState,
  positionAccounts,
  withFirstBase,
} from "../../src/engine/position/position.ts";
import { bookFill, gridAccounts } from "../../src/grid/booking.ts";
import type { GridState } from "../../src/grid/state/state.ts";
import { type Decimal, divideWhole, mul, ONE, text } from "../../src/kernel/decimal.ts";
import { earnedAgainst } from "../../src/model/order.ts";
import { type Accounts, NEW_STRATEGY_STATE } from "../../src/model/strategy.ts";
import { attributionOf } from "../../src/quality/answer.ts";
import { d, slot, state } from "../support/grid.ts";

const SYMBOL = "BTC/USDT";

interface Trade {
  readonly side: "buy" | "sell";
  readonly amount: Decimal;
  readonly notional: Decimal;
  readonly fees: readonly { readonly asset: string; readonly amount: Decimal; readonly value?: Decimal }[];
  /** Mid at the trade. */
  readonly mid: Decimal;
}

const units = (max: bigint) => fc.bigInt({ min: 1n, max });
const fee = fc.oneof(
  // A negative fee is a rebate.
  fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }).map((amount) => ({ asset: "USDT", amount })),
  units(10n ** 15n).map((amount) => ({ asset: "BTC", amount })),
  fc.tuple(units(10n ** 18n), units(10n ** 16n)).map(([amount, value]) => ({ asset: "GT", amount, value })),
);
const trade: fc.Arbitrary<Trade> = fc
  .record({
    side: fc.constantFrom("buy" as const, "sell" as const),
    price: units(10n ** 23n),
    amount: units(10n ** 20n),
    mid: units(10n ** 23n),
    fees: fc.array(fee, { maxLength: 2 }),
  })
  .map(({ price, ...rest }) => ({ ...rest, notional: mul(price, rest.amount, "half") }));

/** The two ledgers of the product, each with the P&L that it reports. */
const LEDGERS: readonly (readonly [string, (trades: readonly Trade[]) => (mark: Decimal) => Accounts])[] = [
  [
    "quotes",
    (trades) => {
      const opened = withFirstBase(
        { ...NEW_STRATEGY_STATE, ...NO_POSITION, slots: [], startPrice: d("100") } as PositionState,
        d("3"),
      );
      const booked = trades.reduce((now, one) => bookTrade(now, SYMBOL, one), opened);
      return (mark) => positionAccounts({ symbol: SYMBOL, state: booked }, mark);
    },
  ],
  [
    "a grid",
    (trades) => {
      const booked = trades.reduce<GridState>(
        (now, one) => bookFill(now, SYMBOL, one, 0),
        state([slot()], { startPrice: d("100") }),
      );
      return (mark) => gridAccounts({ symbol: SYMBOL, state: booked }, mark);
    },
  ],
];

/** Base that the trades moved before each of them, before fees: what the change of a price acts on. */
const inventories = (trades: readonly Trade[], first: Decimal): Decimal[] => {
  let base = first;
  return trades.map(({ side, amount }) => (base += side === "buy" ? amount : -amount));
};

describe.each(LEDGERS)("attribution of the P&L of %s", (name, ledgerOf) => {
  const first = name === "quotes" ? d("3") : 0n;

  it("splits the reported P&L of any span into spread, fees, and price changes × the base then", () => {
    fc.assert(
      fc.property(
        fc.array(trade, { maxLength: 8 }),
        fc.nat(8),
        units(10n ** 23n),
        units(10n ** 23n),
        (all, cut, before, after) => {
          const [from, to] = [ledgerOf(all.slice(0, cut))(before), ledgerOf(all)(after)];
          const earned = all.slice(cut).reduce((sum, one) => sum + earnedAgainst(one, one.mid), 0n);
          const base = inventories(all, first);
          let [mark, moved] = [before, 0n];
          for (const [index, { mid }] of all.entries()) {
            if (index < cut) continue;
            moved += (mid - mark) * (base[index - 1] ?? first);
            mark = mid;
          }
          moved += (after - mark) * (base.at(-1) ?? first);
          const { total, spread, inventory, fees } = attributionOf({ from, to }, earned);
          expect([total, fees]).toEqual([to.total - from.total, to.fees - from.fees]);
          expect(spread + inventory - fees).toBe(total);
          // Each of six roundings is half a unit at most.
          const apart = inventory - divideWhole(moved, ONE, "half");
          expect(apart >= -3n && apart <= 3n).toBe(true);
        },
      ),
    );
  });
});

it("splits a round trip computed by hand", () => {
  // Buy 2 at 99 at a mid of 100, fee 0.2; the mid rises to 103; sell 2 at 104, fee 0.3; the mid falls to 101.
  const trades = [
    {
      side: "buy",
      amount: d("2"),
      notional: d("198"),
      fees: [{ asset: "USDT", amount: d("0.2") }],
      mid: d("100"),
    },
    {
      side: "sell",
      amount: d("2"),
      notional: d("208"),
      fees: [{ asset: "USDT", amount: d("0.3") }],
      mid: d("103"),
    },
  ] as const;
  const ledgerOf = LEDGERS[1]?.[1] as (typeof LEDGERS)[number][1];
  const span = { from: ledgerOf([])(d("100")), to: ledgerOf(trades)(d("101")) };
  const earned = trades.reduce((sum, one) => sum + earnedAgainst(one, one.mid), 0n);
  const { total, spread, inventory, fees } = attributionOf(span, earned);
  expect([spread, inventory, fees, total].map(text)).toEqual(["4", "6", "0.5", "9.5"]);
});
