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
