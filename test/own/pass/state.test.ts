import { describe, expect, it } from "vitest";
import type { OwnStrategy } from "../../../src/own/state.ts";
import { named, ownStrategyExample, run } from "../../support/declared.ts";

const order = { id: "a", side: "buy", price: 90, size: 1 };

describe("the state of a strategy", () => {
  it("stays as it is if a call returns orders alone, also before the first state", () => {
    const seen: unknown[] = [];
    const own = named(
      ({ state }) => {
        seen.push(state);
        return [order];
      },
      { initial: { round: 0 } },
    );
    const first = run(own, ownStrategyExample("own")).strategy;
    expect(first.state.memory).toBeNull();
    const kept = { ...first, state: { ...first.state, memory: { json: '{"round":3}', version: 1 } } };
    expect(run(own, kept).strategy.state.memory).toBe(kept.state.memory);
    expect(seen).toEqual([{ round: 0 }, { round: 3 }]);
  });

  it("begins with the initial one, also after a call that changed its own copy", () => {
    const seen: unknown[] = [];
    const own = named(
      ({ state }) => {
        seen.push((state as { rounds: number[] }).rounds.length);
        (state as { rounds: number[] }).rounds.push(1);
        return { orders: [order], state };
      },
      { initial: { rounds: [] } },
    );
    run(own, ownStrategyExample("own"));
    run(own, ownStrategyExample("own"));
    expect(seen).toEqual([0, 0]);
    expect(own.initial).toEqual({ rounds: [] });
  });

  it("has at most 65,536 characters", () => {
    // With its quotes, the text has two characters more.
    const state = (length: number) => run(named(() => ({ orders: [], state: "x".repeat(length) })), ownStrategyExample("own")); // biome-ignore format: short
    expect(state(65_534).strategy).toMatchObject({ lastError: null, state: { memory: { version: 1 } } });
    expect(state(65_535).strategy.lastError).toBe(
      "orders() returned a state of 65537 characters; the maximum is 65536",
    );
  });

  it("is gone if a call returns none", () => {
    const kept = ownStrategyExample("own", {
      state: { ...ownStrategyExample("own").state, memory: { json: "7", version: 1 } },
    } as Partial<OwnStrategy>);
    const own = named(() => ({ orders: [order] }));
    expect(run(own, kept).strategy.state.memory).toBeNull();
  });
});

describe("the notes of a strategy", () => {
  const noted = (notes: unknown) =>
    run(
      named(() => ({ orders: [order], state: 1, notes }) as never),
      ownStrategyExample("own"),
    ).strategy;

  it("are those of the last call, and end with a call without any", () => {
    const notes = { trend: "up", spread: 0.4, isWide: true };
    const first = noted(notes);
    expect(first.state.notes).toEqual(notes);
    const without = named(() => ({ orders: [order], state: 1 }) as never);
    expect(run(without, first).strategy.state.notes).toEqual({});
  });

  it("pause it with the name of an invalid one", () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`n${i}`, i]));
    expect(
      [{ a: {} }, { a: Number.NaN }, { a: "x".repeat(201) }, many, [1]].map(
        (notes) => noted(notes).lastError,
      ),
    ).toEqual([
      expect.stringContaining("notes.a: not a text of at most 200 characters, a number, true or false"),
      expect.stringContaining("notes.a: not a text"),
      expect.stringContaining("notes.a: Too big"),
      expect.stringContaining("notes: more than 20 values"),
      expect.stringContaining("notes: "),
    ]);
  });
});
