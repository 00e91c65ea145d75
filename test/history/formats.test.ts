import { describe, expect, it } from "vitest";
import { fillTable } from "../../src/history/operations/history.ts";
import {
  archivedOf,
  fillShown,
  fillsView,
  historicOrderOut,
  historicOrdersShape,
  historyPage,
  nextPageOf,
} from "../../src/history/schema.ts";
import { d } from "../support/grid.ts";
import { idOf, fill as made, order } from "../support/made.ts";

const fill = (over: object = {}) => ({ ...made(over), label: null, ...over });

const table = (fees: object[], price = "100") => {
  const one = { ...fillShown(fill()), price, fees } as never;
  const [, row = ""] = fillTable(
    { fills: [one], exchange: "kraken", symbol: "BTC/USDT" } as never,
    String,
  ).split(/\r?\n/);
  return row.split(",").at(-1);
};

describe("a fill in a table", () => {
  it("has its fees in quote: those in base at its price, and others at their value", () => {
    expect(table([{ asset: "USDT", amount: "0.1" }])).toBe("0.1");
    expect(table([{ asset: "BTC", amount: "0.002" }])).toBe("0.2");
    expect(
      table([
        { asset: "BTC", amount: "0.002" },
        { asset: "KCS", amount: "3", value: "0.5" },
      ]),
    ).toBe("0.7");
  });

  it("has its fees in quote also at a price below a millionth", () => {
    // 20,000 base at 0.00000025.
    expect(table([{ asset: "BTC", amount: "20000" }], "0.00000025")).toBe("0.005");
  });

  it("leaves the sum empty if the value of one fee is unknown", () => {
    expect(
      table([
        { asset: "USDT", amount: "0.1" },
        { asset: "KCS", amount: "3" },
      ]),
    ).toBe("");
  });
});

describe("a history", () => {
  it("marks fills that were booked from their order before", () => {
    expect([fillShown(fill({ superseded: true })).superseded, fillShown(fill()).superseded]).toEqual([
      true,
      false,
    ]);
  });

  it("shows an order without a response as unknown, and what is left of it", () => {
    const shown = (over: object) => historicOrderOut(order(over), "grid");
    expect(shown({ state: "pending" }).status).toBe("unknown");
    expect(shown({ state: "submitted" }).status).toBe("open");
    expect(shown({ amount: d("2"), filled: d("0.5") })).toMatchObject({ filled: "0.5", remaining: "1.5" });
  });

  it("names an order by its strategy, unless an exit or a person placed it", () => {
    const kinds = (["slot", "exit", "hand"] as const).map(
      (kind) => historicOrderOut(order({ kind }), "grid").kind,
    );
    expect(kinds).toEqual(["grid", "exit", "hand"]);
  });

  it("shows the slot of a fill, if its order has one", () => {
    const slotOf = (clientId: string) => fillShown(fill({ clientId })).slot;
    expect([slotOf(idOf({ slot: 3 })), slotOf("placed elsewhere")]).toEqual([3, null]);
    expect(fillShown(fill({ clientId: idOf({ slot: 3 }), label: "bid" })).slot).toBe("bid");
  });

  it("shows people each fee with its asset", () => {
    const fees = [
      { asset: "BTC", amount: d("0.1") },
      { asset: "KCS", amount: d("3") },
    ];
    const page = { id: "g", count: 1, fills: [fillShown(fill({ fees }))] };
    const { price, amount, notional, ...shownFill } = fillShown(fill());
    const numbers = { price: Number(price), amount: Number(amount), notional: Number(notional) };
    expect(fillsView(page)).toEqual({
      id: "g",
      count: 1,
      fills: [{ ...shownFill, ...numbers, fees: "0.1 BTC + 3 KCS" }],
    });
  });

  it("shows the value of a fee in a third asset, and whether it is estimated", () => {
    const shown = (isEstimated?: boolean) =>
      fillShown(fill({ fees: [{ asset: "KCS", amount: d("3"), value: d("0.5"), isEstimated } as never] }))
        .fees;
    expect(shown(true)).toEqual([{ asset: "KCS", amount: "3", value: "0.5", estimated: true }]);
    expect(shown(false)).toEqual([{ asset: "KCS", amount: "3", value: "0.5", estimated: false }]);
    expect(shown()).toEqual(shown(false));
    expect(fillShown(fill({ fees: [{ asset: "USDT", amount: d("1") }] })).fees).toEqual([
      { asset: "USDT", amount: "1" },
    ]);
  });

  it("has orders of strategies, of exits and of persons", () => {
    const shape = historicOrdersShape(["grid"]);
    const page = (kind: string) => ({
      id: "g",
      orders: [{ ...historicOrderOut(order(), "grid"), kind }],
      count: 1,
      next: null,
    });
    const isValid = (kind: string) => shape.safeParse(page(kind)).success;
    expect(["grid", "exit", "hand", "quote"].map(isValid)).toEqual([true, true, true, false]);
  });

  it("continues after a row, also among rows of the same millisecond", () => {
    expect(historyPage({ id: "g", limit: 2, before: "5.t9" })).toEqual({
      limit: 2,
      before: { at: 5, id: "t9" },
    });
    expect(historyPage({ id: "g", limit: 2, before: "5" })).toEqual({ limit: 2, before: { at: 5 } });
    const next = (...rows: number[]) => nextPageOf(rows, { limit: 2 }, (row) => `${row}.t9`);
    expect([next(6, 5), next(6), next()]).toEqual(["5.t9", null, null]);
  });

  it("names the archives with rows since its start", () => {
    const startedAt = Date.UTC(2025, 5, 1);
    const archive = (year: number, before: number) => ({ year, file: `${year}.db`, before });
    const all = [
      archive(2024, Date.UTC(2026, 0)),
      archive(2025, Date.UTC(2026, 0)),
      archive(2026, startedAt),
    ];
    expect(archivedOf({ startedAt }, all)).toEqual({ archived: ["2025.db"] });
    expect(archivedOf({ startedAt }, all.slice(2))).toEqual({});
  });
});
