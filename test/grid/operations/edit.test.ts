import { describe, expect, it } from "vitest";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import { d, REQUEST } from "../../support/grid.ts";
import { order } from "../../support/made.ts";
import { askingOf, testSandbox } from "../../support/sandbox.ts";
import { previews, starts } from "../../support/starts.ts";

interface Changed {
  readonly message: string;
  readonly made: boolean;
}
interface Planned {
  readonly free: { readonly quote: string };
  readonly refused: readonly { readonly slot: number }[];
}

const OWN = "sandbox:kraken:";

async function started() {
  const box = await testSandbox();
  const { deps, venue } = box;
  const asking = askingOf(deps);
  const { id } = await asking.ask<{ id: string }>("start_grid", { ...REQUEST, useOwnBase: false });
  /** Every strategy is read with something else in it. */
  const observed = (over: (strategy: Strategy) => Partial<Strategy>): Partial<Deps> => ({
    store: {
      ...deps.store,
      strategies: async (filter) =>
        (await deps.store.strategies(filter)).map((view) => ({
          ...view,
          strategy: { ...view.strategy, ...over(view.strategy) },
        })),
    },
  });
  /** The first call gets the venue as it is, each later one this one. */
  const onceThen = (later: ReturnType<typeof venue> | undefined): Partial<Deps> => {
    let requestCount = 0;
    return { venueOf: () => (requestCount++ === 0 ? venue("kraken") : later) };
  };
  /** How often a pass has read its open orders. */
  const counted = () => {
    const kraken = venue("kraken");
    const looks = { count: 0 };
    const openOrders: typeof kraken.openOrders = async (...requests) => {
      looks.count++;
      return kraken.openOrders(...requests);
    };
    return { looks, of: { venueOf: () => ({ ...kraken, openOrders }) } as Partial<Deps> };
  };
  return { ...box, ...asking, id, observed, onceThen, counted };
}

describe("a change of a grid", () => {
  it("is rejected for a grid that is stopping on its own", async () => {
    const { id, ask, observed } = await started();
    const leaves = observed(({ state }) => ({ state: { ...state, exit: { reason: "stop_loss" } } }) as never);
    await expect(ask("edit_strategy", { id, config: { orderSize: 250 } }, leaves)).rejects.toMatchObject({
      label: "Conflict",
      message: `${id} is stopping and cannot be changed; start a new one`,
    });
  });

  it("can use what its own orders lock and what stopped grids needed", async () => {
    const { id, ask } = await started();
    const free = async () =>
      (await ask<Planned>("preview_edit", { id, config: { orderSize: 210 } })).free.quote;
    expect(await free()).toBe("100000");
    const other = { ...REQUEST, symbol: "ETH/USDT", lowerPrice: 2850, upperPrice: 3150, useOwnBase: false };
    await ask("stop_strategy", { id: (await ask<{ id: string }>("start_grid", other)).id });
    expect(await free()).toBe("100000");
  });

  it("crosses no order of its account on its pair, and ignores others", async () => {
    const { id, ask, deps } = await started();
    const refused = async (of: object) => {
      const rests = order({ clientId: "other", strategy: null, side: "sell", price: d("50"), ...of });
      const unsettledOrders = async (account?: string) => [rests].filter((one) => one.account === account);
      const store = { ...deps.store, unsettledOrders };
      return (await ask<Planned>("preview_edit", { id, config: { orderSize: 210 } }, { store })).refused
        .length;
    };
    const own = await refused({ account: OWN });
    expect(own).toBe(6);
    expect(await refused({ account: "sandbox:mexc:" })).toBeLessThan(own);
    expect(await refused({ account: OWN, symbol: "ETH/USDT" })).toBeLessThan(own);
  });

  it("reports why it is not applied yet", async () => {
    const { id, ask, onceThen, observed, venue } = await started();
    const change = async (orderSize: number, of: Partial<Deps>) =>
      (await ask<Changed>("edit_strategy", { id, config: { orderSize } }, of)).message;
    expect(await change(210, onceThen(undefined))).toBe(
      `${id} changes with its next passes; a process that is configured for sandbox:kraken: applies it`,
    );
    const cut = async () => {
      throw new Error("the line is cut");
    };
    expect(await change(220, onceThen({ ...venue("kraken"), openOrders: cut, ticker: cut }))).toMatch(
      /; its pass failed \(.+\) and is tried again$/,
    );
    const of = { ...onceThen(undefined), ...observed(() => ({ lastError: "no luck" })) };
    expect(await change(230, of)).toBe(
      `${id} changes with its next passes (no luck); a process that is configured for sandbox:kraken: applies it`,
    );
  });

  it("takes no more passes than it needs", async () => {
    const { id, ask, counted } = await started();
    const passes = async (request: object) => {
      const { looks, of } = counted();
      const { made } = await ask<Changed>("edit_strategy", { id, config: request }, of);
      return [made, looks.count];
    };
    expect(await passes({ stopLossPrice: 50_000 })).toEqual([true, 1]);
    const [made, count] = await passes({ orderSize: 210 });
    expect([made, Number(count) > 1, Number(count) <= 3]).toEqual([true, true, true]);
    await ask("pause_strategy", { id });
    expect(await passes({ orderSize: 220 })).toEqual([false, 1]);
  });

  it("is shown with its errors", async () => {
    const { id, preview } = await started();
    const { limits } = await preview("edit_strategy", {
      id,
      config: { stopLossPrice: 56_000, lowerPrice: 65_000, upperPrice: 70_000 },
    });
    expect(limits).toEqual([
      expect.stringMatching(/^the change sells nothing at once/),
      "it sells its base and stops at or below 56000",
      expect.stringMatching(/^not placed now: /),
      expect.stringMatching(/^the market is at [\d.]+, outside the grid/),
    ]);
  });
});

describe("a pause or a resume", () => {
  it("of a grid that ended by itself is rejected without reading the store", async () => {
    const { id, ask, observed } = await started();
    const ended = observed(() => ({ status: "stopped", wants: "run" }));
    let writes = 0;
    const setPaused = async () => {
      writes++;
    };
    const of = { store: { ...ended.store, setPaused } } as Partial<Deps>;
    const conflict = {
      label: "Conflict",
      message: `${id} is stopped and cannot be changed; start a new one`,
    };
    await expect(ask("pause_strategy", { id }, of)).rejects.toMatchObject(conflict);
    await expect(ask("resume_strategy", { id }, of)).rejects.toMatchObject(conflict);
    expect(writes).toBe(0);
  });

  it("of a grid that fails again reports that", async () => {
    const { id, ask, observed } = await started();
    const failed = observed(() => ({ status: "error", lastError: "it does not add up" }));
    expect(await ask("resume_strategy", { id }, failed)).toMatchObject({
      success: false,
      message: `${id} is in error again: it does not add up`,
    });
  });
});

describe("a start without funds", () => {
  it("is reported by its preview and rejected", async () => {
    const { ask, venue } = await started();
    const poor = { venue: () => ({ ...venue("kraken"), balances: async () => [] }) } as Partial<Deps>;
    const centered = { exchange: "kraken", symbol: "BTC/USDT", size: 100, confidence: 0 };
    for (const [form, request] of [
      ["grid", REQUEST],
      ["centered", centered],
    ] as const) {
      const result = await ask<{ warnings: { code: string }[] }>(...previews(form, request), poor);
      expect(result.warnings.map(({ code }) => code)).toContain("funds_missing");
      await expect(ask(...starts(form, request), poor)).rejects.toMatchObject({
        label: "Start failed",
        message: expect.stringMatching(/^no order could be placed/),
      });
    }
  });
});
