import { describe, expect, it } from "vitest";
import {
  booksChecked,
  noteUnexplained,
  unexplainedAssets,
} from "../../../src/engine/reconcile/books-check.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { Order } from "../../../src/model/order.ts";
import type { Refusal, Strategy, Unexplained } from "../../../src/model/strategy.ts";
import type { UnreadableFill } from "../../../src/ports/venue.ts";
import { d, slot, state } from "../../support/grid.ts";
import { fill, idOf, order, SYMBOL, strategy } from "../../support/made.ts";

type Moved = Readonly<Record<string, bigint>>;
const LATE = 10 * MINUTE;
/** A grid whose fills have brought one more BTC than its slots hold, unless told otherwise. */
const grid = (over: object = {}, moved: Readonly<Record<string, bigint>> = { BTC: d("-1") }): Strategy =>
  strategy({
    state: { ...state([slot()], { epoch: 1, ...over }), ledger: { ...state([]).ledger, moved } },
  });
const right = (over: object = {}) => grid(over, {});
const short = (over: Partial<Order> = {}): Order =>
  order({ filled: d("2"), booked: d("0.5"), behindSince: 1_000, ...over });
const look = (
  one: Strategy,
  live: readonly Order[] = [],
  now = 1_000,
  rows: readonly UnreadableFill[] = [],
) => booksChecked(gridKind, one, { live, now, rows });
const unread = (id: string, orderId = "x1"): UnreadableFill => ({ id, orderId, at: 1, reason: "no price" });
const missing = (over: Partial<Refusal> = {}): Refusal => ({
  slot: 0,
  reason: "fills_missing",
  detail: idOf(),
  ...over,
});

describe("the unexplained difference between the books and the fills", () => {
  it("is reported per asset, even if only one of the two has the asset", () => {
    const of = (moved: Readonly<Record<string, bigint>>, cash = {}) => {
      const one = state([slot()]);
      const result = { ...one, ledger: { ...one.ledger, moved, cash } };
      return unexplainedAssets(gridKind, result, SYMBOL);
    };
    expect(of({})).toEqual({});
    expect(of({ BTC: d("1") })).toEqual({ BTC: d("-1") });
    expect(of({ KCS: d("2") })).toEqual({ KCS: d("-2") });
    expect(of({}, { KCS: d("-2") })).toEqual({ KCS: d("-2") });
    expect(of({ KCS: d("-2") }, { KCS: d("-2") })).toEqual({});
  });
});

describe("the first fill that caused a difference", () => {
  const one = (fills: readonly object[], clientId = idOf()) =>
    ({ order: order({ clientId }), fills }) as unknown as Parameters<typeof noteUnexplained>[2][number];

  it("belongs to the orders that were booked at that time", () => {
    const booked = [one([fill()]), one([]), one([fill()], "em2")];
    expect(noteUnexplained(gridKind, grid(), booked).state.unexplained).toEqual({
      since: null,
      assets: {},
      order: `${idOf()}, em2`,
    });
  });

  it("does not change the time of the difference", () => {
    const known = { order: null, since: 5, assets: { BTC: d("1") } };
    const { unexplained } = noteUnexplained(gridKind, grid({ unexplained: known }), [one([fill()])]).state;
    expect(unexplained).toEqual({ ...known, order: idOf() });
  });

  it.each([
    ["nothing was booked", grid(), [one([])]],
    ["nothing differs", right(), [one([fill()])]],
    ["one is known", grid({ unexplained: { order: "em0", since: 5, assets: {} } }), [one([fill()])]],
  ] as const)("is not recorded if %s", (_, before, reconciled) => {
    expect(noteUnexplained(gridKind, before, reconciled)).toBe(before);
  });
});

describe("a strategy with an unexplained difference", () => {
  it("is unchanged while all is explained, and then clears the difference", () => {
    const one = right();
    expect(look(one)).toBe(one);
    const other = { slot: 1, reason: "no_quote" } as const;
    const known = { order: null, since: 5, assets: {} };
    const before = right({ unexplained: known, refused: [missing(), other] });
    expect(look(before).state).toEqual({ ...before.state, unexplained: null, refused: [other] });
  });

  it("records the difference and its time once", () => {
    const first = look(grid());
    expect(first.state.unexplained).toEqual({ order: null, since: 1_000, assets: { BTC: d("1") } });
    expect(look(first, [], 2_000)).toBe(first);
  });

  it.each([
    ["another amount", { BTC: d("-2") }],
    ["another asset", { KCS: d("-1") }],
    ["one more asset", { BTC: d("-1"), KCS: d("-1") }],
    ["another amount of one of two", { BTC: d("-1"), KCS: d("-2") }, { BTC: d("-1"), KCS: d("-1") }],
  ] as readonly [string, Moved, Moved?][])(
    "records %s with the original time",
    (_, moved, before = { BTC: d("-1") }) => {
      const { unexplained } = look(grid({}, before)).state;
      const assets = Object.fromEntries(Object.entries(moved).map(([asset, amount]) => [asset, -amount]));
      const after = look(grid({ unexplained }, moved), [], 2_000);
      expect(after.state.unexplained).toEqual({ order: null, since: 1_000, assets });
    },
  );

  it("is in error after ten minutes, with the reason", () => {
    const first = look(grid());
    expect(look(first, [], 1_000 + LATE - 1)).toBe(first);
    expect(look(first, [], 1_000 + LATE)).toMatchObject({
      status: "error",
      lastError: "without a matching order 1 BTC; nothing is placed until this is settled",
    });
  });

  it("names the order that caused the difference", () => {
    const known = { order: idOf(), since: null, assets: {} };
    const first = look(grid({ unexplained: known }));
    expect(look(first, [], 1_000 + LATE).lastError).toBe(
      `its trades do not match order ${idOf()}: 1 BTC; nothing is placed until this is settled`,
    );
  });

  it("preserves an existing error", () => {
    const first = { ...look(grid()), status: "error" as const, lastError: "another one" };
    expect(look(first, [], 1_000 + LATE)).toMatchObject({ status: "error", lastError: "another one" });
  });

  it.each([
    ["is stopped", (one: Strategy): Strategy => ({ ...one, wants: "stop" })],
    [
      "exits",
      (one: Strategy): Strategy => ({
        ...one,
        state: { ...one.state, exit: { reason: "stop_loss", tries: 0 } },
      }),
    ],
  ])("reports the difference and continues while it %s", (_, as) => {
    const after = look(as(look(grid())), [], 1_000 + LATE);
    expect(after).toMatchObject({ status: "running", lastError: expect.stringContaining("1 BTC") });
  });
});

describe("an order that lacks trades", () => {
  it("is recorded in its strategy, with the time since when it lacks them", () => {
    expect(look(right(), [short()], 5_000).state.unexplained).toEqual({
      order: idOf(),
      since: 1_000,
      assets: { BTC: d("1.5") },
    });
    expect(look(grid(), [short()], 5_000).state.unexplained?.assets).toEqual({ BTC: d("2.5") });
  });

  it("is the one that has lacked them longest", () => {
    const live = [
      short({ clientId: "em3", behindSince: 3_000 }),
      order(),
      short(),
      short({ behindSince: 2_000 }),
    ];
    expect(look(right(), live, 5_000).state.unexplained).toMatchObject({ order: idOf(), since: 1_000 });
  });

  it("has a separate ten minutes, after another one had its ten", () => {
    const known = { order: "em0", since: 1, assets: {} };
    const after = look(grid({ unexplained: known }, {}), [short({ behindSince: 1_000 })], 2_000);
    expect(after.state.unexplained).toMatchObject({ order: idOf(), since: 1_000 });
  });

  it("is recorded if it replaces another one with the same time", () => {
    const next = short({ clientId: "em2" });
    expect(look(look(right(), [short()]), [next]).state.unexplained?.order).toBe("em2");
  });

  it("replaces its slot's message, whichever other orders lack trades", () => {
    const refused = [{ slot: 1, reason: "rejected" } as const, { slot: 2, reason: "rejected" } as const];
    const live = [short(), short({ slot: 1 })];
    const after = look(look(right({ refused }), live), live, 1_000 + LATE);
    const both = [missing(), missing({ slot: 1, detail: idOf({ slot: 1 }) })];
    expect(after.state.refused).toEqual([refused[1], ...both]);
    expect(look(after, live, 2_000 + LATE).state).toBe(after.state);
    const swapped = [short(), short({ slot: 1, clientId: "em2" })];
    expect(look(after, swapped, 2_000 + LATE).state.refused).toContainEqual(
      missing({ slot: 1, detail: "em2" }),
    );
  });

  it("blocks its slot and reports that after ten minutes", () => {
    const others = [{ slot: 1, reason: "no_quote" } as const, { slot: 0, reason: "rejected" } as const];
    const before = look(right({ refused: others }), [short()]);
    expect(before.state.refused).toBe(others);
    const after = look(before, [short()], 1_000 + LATE);
    expect(after).toMatchObject({ status: "error", lastError: expect.stringContaining(idOf()) });
    expect(after.state.refused).toEqual([others[0], missing()]);
    expect(look(after, [short()], 2_000 + LATE).state).toBe(after.state);
  });

  it("is reported again if it replaces another one, or if there is one more", () => {
    const after = look(look(right(), [short()]), [short()], 1_000 + LATE);
    const two = [short(), short({ slot: 1 })];
    const both = look(after, two, 2_000 + LATE).state.refused;
    expect(both).toEqual([missing(), missing({ slot: 1, detail: idOf({ slot: 1 }) })]);
    const one = look({ ...after, state: { ...after.state, refused: both } }, [short()], 2_000 + LATE);
    expect(one.state.refused).toEqual([missing()]);
    const next = short({ clientId: idOf({ serial: 1 }) });
    expect(look(after, [next], 2_000 + LATE).state.refused).toEqual([missing({ detail: next.clientId })]);
  });

  it("is not reported in a slot if its generation is over or it lacks no trades", () => {
    const live = [short(), short({ slot: 1, generation: 4 }), order({ slot: 1 })];
    expect(look(look(right(), live), live, 1_000 + LATE).state.refused).toEqual([missing()]);
  });
});

describe("unreadable trades", () => {
  const first = look(right(), [short()], 1_000, [unread("t1"), unread("t9", "x9")]);
  const named = (one: Strategy) => (one.state.unexplained as Unexplained).trades?.map(({ trade }) => trade);

  it("are named if their order lacks trades", () => {
    expect(first.state.unexplained?.trades).toEqual([{ order: idOf(), trade: "t1", reason: "no price" }]);
    expect("trades" in (look(right(), [short()]).state.unexplained ?? {})).toBe(false);
  });

  it("are stored when a pass does not read them, and reported once", () => {
    expect(look(first, [short()], 2_000)).toBe(first);
    const more = look(first, [short()], 2_000, [unread("t2"), unread("t1")]);
    expect(named(more)).toEqual(["t2", "t1"]);
    expect(named(look(first, [short()], 2_000, [unread("t2")]))).toEqual(["t1", "t2"]);
  });

  it("are recorded even if nothing else changed", () => {
    const before = look(right(), [short()]);
    expect(named(look(before, [short()], 2_000, [unread("t1")]))).toEqual(["t1"]);
  });

  it("are cleared with their order", () => {
    const other = short({ clientId: "em2", exchangeId: "x2" });
    expect(named(look(first, [other, order()], 2_000))).toBeUndefined();
    expect(named(look(first, [short(), other], 2_000))).toEqual(["t1"]);
  });

  it("are reported, three at most", () => {
    const rows = ["a", "b", "c", "e"].map((id) => unread(id));
    const after = look(look(right(), [short()], 1_000, rows), [short()], 1_000 + LATE);
    expect(after.lastError).toBe(
      `its trades do not match order ${idOf()}: 1.5 BTC; trade a is not booked, no price; trade b is not booked, no price; trade c is not booked, no price; nothing is placed until this is settled`,
    );
  });
});
