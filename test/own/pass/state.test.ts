import { describe, expect, it } from "vitest";
import { createStrategyConsole } from "../../../src/own/pass/log.ts";
import type { OwnStrategy } from "../../../src/own/state.ts";
import type { Declared } from "../../../src/ports/definition.ts";
import { named, ownStrategyExample, run } from "../../support/declared.ts";

const order = { id: "a", side: "buy", price: 90, size: 1 } as const;

describe("the state of a strategy", () => {
  it.each<[string, Declared]>([
    ["orders alone", [order]],
    ["an object without a state", { orders: [order], notes: { trend: "up" } }],
  ])("stays as it is if a call returns %s, also before the first state", (_what, returned) => {
    const seen: unknown[] = [];
    const own = named(
      ({ state }) => {
        seen.push(state);
        return returned;
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

  it("is gone if a call returns undefined as its state", () => {
    const kept = ownStrategyExample("own", {
      state: { ...ownStrategyExample("own").state, memory: { json: "7", version: 1 } },
    } as Partial<OwnStrategy>);
    const own = named(() => ({ orders: [order], state: undefined }));
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

describe("the log of a strategy", () => {
  const order = { id: "a", side: "buy", price: 90, size: 1 };
  const logged = (log: unknown, more = {}) =>
    run(
      named(() => ({ orders: [order], state: 1, log }) as never, more),
      ownStrategyExample("own"),
    );

  it("has the lines of its result, each as one visible line of at most 500 characters", () => {
    expect(logged(["one", "two"]).log).toEqual({ lines: ["one", "two"], dropped: 0 });
    expect(logged(["a\nb\u001b[31m\u2028c"]).log?.lines).toEqual(["a b [31m c"]);
    expect(logged(["x".repeat(10_000)]).log?.lines[0]).toHaveLength(500);
    expect(logged(Array.from({ length: 70 }, String)).log).toMatchObject({ dropped: 20 });
    for (const none of [undefined, []]) expect(logged(none)).not.toHaveProperty("log");
  });

  it("fails with a log that is not a list of texts", () => {
    for (const wrong of ["text", [1], {}])
      expect(logged(wrong).strategy.lastError).toContain("orders() returned log: not a list of texts");
  });

  it("has what its code writes to the console, also before it fails", () => {
    const { console: own, takeLog } = createStrategyConsole();
    const write = own.log as (...values: unknown[]) => void;
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    write("of an earlier call");
    const writing = (orders: () => unknown) => run(named(orders, { takeLog }), ownStrategyExample("own"));
    const first = writing(() => {
      write("mid", 7, { a: 1 }, new Error("boom"), undefined, circular);
      return { orders: [order], state: 1, log: ["last"] };
    });
    expect(first.log?.lines).toEqual([
      'mid 7 {"a":1} Error: boom undefined [an object that is not JSON]',
      "last",
    ]);
    const failed = writing(() => {
      for (let i = 0; i < 1_000; i++) write(i);
      throw new Error("no");
    });
    expect(failed.log).toMatchObject({ dropped: 950 });
    expect(failed.strategy.lastError).toBe("no");
  });
});
