import { describe, expect, it } from "vitest";
import type { Decision } from "../../../src/engine/decide/decide.ts";
import { record } from "../../../src/engine/pass/act.ts";
import { StoreError } from "../../../src/kernel/errors.ts";
import {
  type Changes,
  NO_CHANGES,
  type Snapshot,
  type StepStore,
} from "../../../src/ports/stores/step-store.ts";
import { ACCOUNT, fill, NOW, order, SYMBOL, snapshot, strategy } from "../../support/made.ts";

const cursor = (at: number) => ({ [SYMBOL]: { at, ahead: null } });
const update = (id: string, over: Partial<Changes> = {}): Changes => {
  const { version, state, status, phase, lastError, stoppedAt } = strategy();
  return {
    ...NO_CHANGES,
    strategy: { id, version, state, status, phase, lastError, stoppedAt },
    intents: [order({ clientId: `of ${id}` })],
    ...over,
  };
};

type Refusal = "constraint" | "fenced" | "unavailable";

/** What is written by a store that refuses each batch which has something of this strategy. */
async function written(
  changes: readonly Changes[],
  {
    refuses,
    why = "constraint",
    later = why,
    cursors = {},
  }: {
    refuses?: string;
    why?: Refusal;
    later?: Refusal | null;
    cursors?: Snapshot["cursors"];
  } = {},
) {
  const batches: (readonly Changes[])[] = [];
  const store = {
    async record(_: unknown, all: readonly Changes[]) {
      const isRefused = all.some(
        ({ strategy: one, intents }) => one?.id === refuses && one?.status !== "error" && intents.length > 0,
      );
      const refusal = all.length > 1 ? why : later;
      if (isRefused && refusal) throw new StoreError(refusal, "CHECK constraint failed: filled");
      batches.push(all);
      return new Set(all.flatMap(({ intents }) => intents.map(({ clientId }) => clientId)));
    },
  } as unknown as StepStore;
  const known = snapshot({ cursors, strategies: [strategy({ id: "a" }), strategy({ id: "b", resumes: 3 })] });
  const recorded = await record(store, known, { changes } as Decision);
  return { recorded: [...recorded], batches };
}

describe("the record of a pass", () => {
  it("is one batch, and returns what may be sent", async () => {
    const changes = [update("a"), update("b")];
    expect(await written(changes)).toEqual({ recorded: ["of a", "of b"], batches: [changes] });
    expect(await written([])).toEqual({ recorded: [], batches: [] });
  });

  it("omits an order that a constraint rejects, and reports it", async () => {
    const changes = [update("a"), update("b"), { ...NO_CHANGES, cursors: {} }];
    const { recorded, batches } = await written(changes, { refuses: "b" });
    expect(recorded).toEqual(["of a"]);
    const { version, phase, stoppedAt, state } = strategy();
    const message = "CHECK constraint failed: filled";
    expect(batches).toEqual([
      [changes[0]],
      [
        {
          ...NO_CHANGES,
          strategy: {
            id: "b",
            version,
            phase,
            stoppedAt,
            status: "error",
            lastError: message,
            state: { ...state, resumes: 3 },
          },
          events: [{ account: ACCOUNT, strategy: "b", at: NOW, kind: "error", message }],
        },
      ],
      [changes[2]],
    ]);
  });

  it("does not exist if it is rejected for another reason", async () => {
    await expect(written([update("a")], { refuses: "a", why: "fenced" })).rejects.toThrow(/CHECK/);
  });

  it("is not written again in parts if it may have been written", async () => {
    const changes = [update("a"), update("b")];
    const unclear = { refuses: "b", why: "unavailable", later: null } as const;
    await expect(written(changes, unclear)).rejects.toMatchObject({ failure: "unavailable" });
  });

  it("ends if another process takes the lease in the meantime", async () => {
    const changes = [update("a"), update("b")];
    await expect(written(changes, { refuses: "b", later: "fenced" })).rejects.toMatchObject({
      failure: "fenced",
    });
  });

  it("moves no cursor past unbooked fills, but gives a market its first cursor", async () => {
    const fills = [
      fill({ at: NOW - 9 }),
      fill({ tradeId: "t2", at: NOW - 5 }),
      fill({ symbol: "ETH/USDT", at: NOW - 90 }),
    ];
    const all = (at: number) => [update("a"), update("b", { fills }), { ...NO_CHANGES, cursors: cursor(at) }];
    const last = async (at: number, cursors: Snapshot["cursors"] = {}) =>
      (await written(all(at), { refuses: "b", cursors })).batches.at(-1)?.[0]?.cursors;
    expect(await last(NOW, cursor(NOW - 99))).toEqual({});
    expect(await last(NOW)).toEqual(cursor(NOW - 9));
    expect(await last(NOW - 50)).toEqual(cursor(NOW - 50));
    const before = { refuses: "b", cursors: cursor(NOW - 99) };
    const whole = await written([{ ...NO_CHANGES, cursors: cursor(NOW) }, update("b")], before);
    expect(whole.batches[0]?.[0]?.cursors).toEqual(cursor(NOW));
  });

  it("continues if the rejected part is of an unknown strategy", async () => {
    const { recorded, batches } = await written([update("zzz"), update("a")], { refuses: "zzz" });
    expect([recorded, batches.length]).toEqual([["of a"], 1]);
  });
});
