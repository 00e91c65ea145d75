import { describe, expect, it } from "vitest";
import { VenueError } from "../../../src/kernel/errors.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import { BY } from "../../support/by.ts";
import { REQUEST } from "../../support/grid.ts";
import { askingOf, testSandbox } from "../../support/sandbox.ts";

interface Changed {
  readonly id: string;
  readonly success: boolean;
  readonly status: string;
  readonly phase: string;
  readonly message: string;
  readonly made: boolean;
  readonly changes: readonly object[];
}
interface Planned {
  readonly planHash: string;
  readonly cancelled: number;
  readonly orders: readonly object[];
  readonly free: { readonly quote: string };
}

const unsureCancel = async () => ({ result: "unknown", reason: "cut" });

/** A grid of the quote alone, whose orders rest. */
async function started(over: object = {}) {
  const box = await testSandbox();
  const { deps, store, venue } = box;
  const asking = askingOf(deps);
  const { id } = await asking.ask<{ id: string }>("start_grid", { ...REQUEST, useOwnBase: false, ...over });
  const prices = async () =>
    (await venue("kraken").openOrders("BTC/USDT")).map(({ price }) => Number(price / 10n ** 18n)).sort();
  const kraken = venue("kraken");
  const fails = async () => {
    throw new Error("the line is cut");
  };
  const away: Partial<Deps> = { venueOf: () => undefined };
  return {
    ...box,
    ...asking,
    id,
    prices,
    away,
    /** Its exchange takes no cancel for sure. */
    unsure: {
      venueOf: () => ({ ...kraken, cancel: unsureCancel }),
    } as Partial<Deps>,
    cut: {
      venueOf: () => ({ ...kraken, openOrders: fails, order: fails, ticker: fails, balances: fails }),
    } as Partial<Deps>,
    /** Another process is in the middle of a pass. */
    busy: () => store.takeLease({ account: "sandbox:kraken:", owner: "another", ttl: 60_000, overlap: 0 }),
    stop: (how: object = {}) =>
      store.setWants(id, "stop", { keepOrders: false, sellBase: false, ...how }, BY),
    eventsOf: async () => (await store.eventsOf(id, { limit: 50 })).map(({ message }) => message),
  };
}

describe("a change of a running grid", () => {
  it("is previewed and applied as previewed", async () => {
    const { id, ask, prices, eventsOf } = await started();
    expect(await prices()).toEqual([57_000, 58_000, 59_000, 60_000]);
    const request = { id, config: { lowerPrice: 58_000, upperPrice: 64_000 } };
    const plan = await ask<Planned>("preview_edit", request);
    expect([plan.cancelled, plan.orders.length]).toEqual([4, 3]);
    const output = await ask<Changed>("edit_strategy", { ...request, planHash: plan.planHash });
    expect(output).toMatchObject({ success: true, id, status: "running", phase: "active", made: true });
    expect(output.message).toBe(`${id} is changed`);
    expect(output.changes).toEqual([
      { field: "lowerPrice", from: "57000", to: "58000" },
      { field: "upperPrice", from: "63000", to: "64000" },
    ]);
    expect(await prices()).toEqual([58_000, 59_000, 60_000]);
    expect(await eventsOf()).toContain(
      "change requested: lowerPrice 57000 to 58000, upperPrice 63000 to 64000",
    );
  });

  it("is rejected with the hash of another plan or of a plan before another change", async () => {
    const { id, ask, preview, prices } = await started();
    const { planHash } = await ask<Planned>("preview_edit", { id, config: { orderSize: 250 } });
    const stale = { label: "Conflict" };
    for (const request of [
      { id, config: { orderSize: 260 }, planHash },
      { id, config: { gridLevels: 5 }, planHash },
    ]) {
      await expect(ask("edit_strategy", request)).rejects.toMatchObject(stale);
      await expect(preview("edit_strategy", request)).rejects.toMatchObject(stale);
    }
    expect((await preview("edit_strategy", { id, config: { orderSize: 250 }, planHash })).holds).toEqual({
      id,
      planHash,
    });
    expect(await prices()).toEqual([57_000, 58_000, 59_000, 60_000]);
    await ask("edit_strategy", { id, config: { stopLossPrice: 50_000 } });
    await expect(ask("edit_strategy", { id, config: { orderSize: 250 }, planHash })).rejects.toMatchObject(
      stale,
    );
  });

  it("is not applied if another change came first", async () => {
    const { id, ask, deps, store } = await started();
    const setEdit: typeof store.setEdit = async (...requests) => {
      await store.setEdit(...requests);
      return store.setEdit(...requests);
    };
    await expect(
      ask("edit_strategy", { id, config: { orderSize: 250 } }, { store: { ...deps.store, setEdit } }),
    ).rejects.toMatchObject({
      label: "Conflict",
    });
  });

  it("reports the exchange's outcome: undecided, failed, owned by another process, or paused", async () => {
    const { id, ask, unsure, cut, away, busy, venue } = await started();
    const size = (orderSize: number) => ({ id, config: { orderSize } });
    await expect(ask("edit_strategy", size(230), away)).rejects.toMatchObject({
      label: "Exchange error",
      message: "nothing is changed: this process is not configured for kraken; use a process that is",
    });
    const silent = async () => {
      throw new VenueError("unavailable", "kraken: no answer");
    };
    await expect(
      ask("edit_strategy", size(230), { venueOf: () => ({ ...venue("kraken"), ticker: silent }) }),
    ).rejects.toMatchObject({
      label: "Exchange error",
      message:
        "nothing is changed: kraken could not be read (kraken: no answer); the strategy continues unchanged",
    });
    const undecided = await ask<Changed>("edit_strategy", size(240), unsure);
    expect(undecided).toMatchObject({ success: true, made: false, phase: "rebuilding" });
    expect(undecided.message).toMatch(/^grid-\S+ changes with its next passes/);
    let requestCount = 0;
    const then = {
      venueOf: () => (requestCount++ < 1 ? undefined : cut.venueOf?.({} as never)),
    } as Partial<Deps>;
    await expect(ask("edit_strategy", size(245), then)).rejects.toThrow();
    await busy();
    const output = await ask<Changed>("edit_strategy", size(250));
    expect(output.message).toMatch(/changes with its next passes.*; the next pass applies it$/);
  });

  it("waits while the grid is paused", async () => {
    const { id, ask } = await started();
    await ask("pause_strategy", { id });
    const output = await ask<Changed>("edit_strategy", { id, config: { orderSize: 250 } });
    expect(output).toMatchObject({ made: false, message: `${id} is paused: it changes when it is resumed` });
    expect(await ask<Changed>("resume_strategy", { id })).toMatchObject({ success: true });
  });

  it("is rejected for a grid that is stopping, has ended or has not started", async () => {
    const over = await started();
    await over.ask("stop_strategy", { id: over.id });
    const conflict = (id: string, is: string) => ({
      label: "Conflict",
      message: `${id} ${is} and cannot be changed; start a new one`,
    });
    const change = (of: typeof over) => of.ask("edit_strategy", { id: of.id, config: { orderSize: 250 } });
    await expect(change(over)).rejects.toMatchObject(conflict(over.id, "is stopped"));
    const ending = await started();
    await ending.stop();
    await expect(change(ending)).rejects.toMatchObject(conflict(ending.id, "is stopping"));
    const waiting = await started();
    await waiting.busy();
    const { ask } = waiting;
    const { id } = await ask<{ id: string }>("start_grid", { ...REQUEST, gridLevels: 4 });
    await expect(ask("edit_strategy", { id, config: { orderSize: 250 } })).rejects.toMatchObject(
      conflict(id, "has not started yet"),
    );
    await expect(
      ask("edit_strategy", { id: "grid-none-1", config: { orderSize: 250 } }),
    ).rejects.toMatchObject({
      label: "Not found",
    });
  });

  it("excludes other grids' orders and needs from what it frees", async () => {
    const { id, ask } = await started();
    const free = async () =>
      Number((await ask<Planned>("preview_edit", { id, config: { orderSize: 210 } })).free.quote);
    const before = await free();
    await ask("start_grid", {
      ...REQUEST,
      symbol: "ETH/USDT",
      lowerPrice: 2850,
      upperPrice: 3150,
      useOwnBase: false,
    });
    const { cancelled, free: rest } = await ask<Planned>("preview_edit", { id, config: { orderSize: 210 } });
    const after = rest.quote;
    expect(cancelled).toBe(4);
    // What its buys hold, and what its sells will buy again.
    expect(before - Number(after)).toBeGreaterThan(1000);
    await ask("start_grid", { ...REQUEST, exchange: "mexc" });
    expect((await ask<Planned>("preview_edit", { id, config: { orderSize: 210 } })).free.quote).toBe(after);
  });

  it("shows the approver its effects, costs and maximum exposure", async () => {
    const { id, preview, exposure, store } = await started();
    const request = { id, config: { gridLevels: 5, orderSize: 250 } };
    const reply = await preview("edit_strategy", request);
    expect(reply.what).toMatch(
      /^change grid-\S+ on BTC\/USDT at kraken: gridLevels from 6 to 5, orderSize from 200 to 250, gridSpacing from 1000 to 1200; 4 orders are canceled, 3 placed, and 0 stay, with the market at [\d.]+$/,
    );
    expect(reply.cost).toMatch(
      /^[\d.]+ USDT in buys, before fees, and 0 BTC that you already own in sells; it can use up to [\d.]+ USDT and 0 BTC$/,
    );
    expect(reply.worstCase).toMatch(
      /^the price falls and does not recover: up to [\d.]+ USDT become BTC and lose value with it; [\d.]+ USDT at 57000, /,
    );
    expect(await exposure("edit_strategy", request)).toMatchObject({ counted: 1250n * 10n ** 18n, base: 0n });
    expect(reply.limits).toEqual([
      "the change sells nothing at once, and 0 USDT stay realized",
      expect.stringMatching(/^not placed now: /),
    ]);
    await store.setKill(true, BY);
    const stops = await preview("edit_strategy", { id, config: { stopLossPrice: 50_000 } });
    expect(stops.limits).toEqual([
      "it sells its base and stops at or below 50000",
      "the kill switch is on: nothing is placed until it is turned off",
    ]);
    const wider = await exposure("edit_strategy", { id, config: { orderSize: 240, lowerPrice: 56_000 } });
    expect(wider).toMatchObject({ counted: 1440n * 10n ** 18n });
  });

  it("counts a stop price as an exit that can sell again what its slots buy", async () => {
    const { id, exposure } = await started();
    expect(await exposure("edit_strategy", { id, config: { stopLossPrice: 50_000 } })).toMatchObject({
      counted: 2400n * 10n ** 18n,
      exits: 1200n * 10n ** 18n,
    });
  });

  it("counts nothing in paper trading", async () => {
    const { ask, exposure } = await started();
    const { id } = await ask<{ id: string }>("start_grid", { ...REQUEST, dryRun: true });
    for (const [tool, input] of [
      ["edit_strategy", { config: { orderSize: 250 } }],
      ["resume_strategy", {}],
      ["stop_strategy", { sellBase: true }],
    ] as const)
      expect(await exposure(tool, { id, ...input }), tool).toEqual({ trades: "nothing" });
  });
});

describe("a pause", () => {
  it("reports which orders stay open, and a resume undoes it", async () => {
    const { id, ask, preview, exposure, prices, store } = await started();
    expect((await preview("pause_strategy", { id })).what).toBe(
      `pause, leaving its orders open, ${id}, which is running (active) with 4 open orders`,
    );
    expect(await ask<Changed>("pause_strategy", { id })).toEqual({
      success: true,
      id,
      status: "running",
      phase: "paused",
      message: `${id} is paused: nothing new is placed, and its 4 open orders stay`,
    });
    const back = await preview("resume_strategy", { id });
    expect(back.what).toMatch(/^resume, placing what is missing, /);
    expect(back.limits).toEqual(["it sells and buys again"]);
    expect(await exposure("resume_strategy", { id })).toMatchObject({ counted: 1200n * 10n ** 18n });
    expect(await ask<Changed>("resume_strategy", { id })).toEqual({
      success: true,
      id,
      status: "running",
      phase: "active",
      message: `${id} is resumed`,
    });
    expect(await prices()).toHaveLength(4);
    await expect(preview("resume_strategy", { id })).rejects.toThrow("is not paused; nothing was done");
    await ask("pause_strategy", { id });
    await store.setKill(true, BY);
    expect((await preview("resume_strategy", { id })).limits).toHaveLength(2);
  });

  it("reports which process applies it", async () => {
    const { id, ask, away, cut, busy } = await started();
    const elsewhere = "; a process that is configured for sandbox:kraken: applies it";
    expect((await ask<Changed>("pause_strategy", { id }, away)).message).toMatch(
      new RegExp(`open orders stay${elsewhere}$`),
    );
    expect((await ask<Changed>("resume_strategy", { id }, away)).message).toBe(
      `${id} is resumed${elsewhere}`,
    );
    expect((await ask<Changed>("pause_strategy", { id }, cut)).message).toMatch(
      /; its pass failed \(.*\) and is tried again$/,
    );
    await busy();
    expect((await ask<Changed>("pause_strategy", { id })).message).toMatch(
      /open orders stay; the next pass applies it$/,
    );
  });

  it("that was undone meanwhile by a resume or a stop reports that", async () => {
    const { id, ask, store, deps, stop } = await started();
    const followed = (deed: () => Promise<void>): Partial<Deps> => ({
      store: {
        ...deps.store,
        setPaused: async (...requests) => {
          await store.setPaused(...requests);
          await deed();
        },
      },
    });
    const undone = await ask<Changed>(
      "pause_strategy",
      { id },
      followed(() => store.setPaused(id, null, BY)),
    );
    expect(undone).toMatchObject({ success: false, message: `${id} is running: it was resumed` });
    const again = await ask<Changed>(
      "resume_strategy",
      { id },
      followed(() => store.setPaused(id, { keepOrders: true }, BY)),
    );
    expect(again).toMatchObject({
      success: false,
      message: expect.stringMatching(/ is paused: nothing new/),
    });
    const stopped = await ask<Changed>(
      "pause_strategy",
      { id },
      followed(() => stop()),
    );
    expect(stopped).toMatchObject({ success: false, message: `${id} is stopping` });
  });

  it("is rejected for a grid that is stopping or has ended", async () => {
    const { id, ask, preview, stop } = await started();
    await stop();
    const conflict = (is: string) => ({
      message: `${id} ${is} and cannot be changed; start a new one`,
    });
    await expect(ask("pause_strategy", { id })).rejects.toMatchObject(conflict("is stopping"));
    await expect(preview("resume_strategy", { id })).rejects.toMatchObject(conflict("is stopping"));
    await ask("stop_strategy", { id });
    await expect(ask("resume_strategy", { id })).rejects.toMatchObject(conflict("is stopped"));
    await expect(preview("pause_strategy", { id })).rejects.toMatchObject(conflict("is stopped"));
  });
});

interface Stopped {
  readonly success: boolean;
  readonly id: string;
  readonly message: string;
  readonly summary: { readonly openOrders?: readonly object[] };
}

describe("a stop", () => {
  it("cancels every order and reports the grid's result", async () => {
    const { id, ask, preview, exposure, prices } = await started();
    const reply = await preview("stop_strategy", { id });
    expect(reply.what).toMatch(
      /^stop, canceling its orders, grid-\S+, which is running \(active\) with 4 open orders$/,
    );
    expect(await exposure("stop_strategy", { id })).toEqual({ trades: "nothing" });
    const stopped = await ask<Stopped>("stop_strategy", { id });
    expect(stopped).toMatchObject({ success: true, id });
    expect(stopped.message).toBe(`${id} is stopped and has no orders left; total 0 USDT`);
    expect(stopped.summary).not.toHaveProperty("openOrders");
    expect(await prices()).toEqual([]);
    expect((await ask<Stopped>("stop_strategy", { id })).message).toBe(stopped.message);
  });

  it("leaves the orders open on request", async () => {
    const { id, ask, preview, time } = await started();
    expect((await preview("stop_strategy", { id, cancelOrders: false })).what).toMatch(
      /^stop, leaving its orders, /,
    );
    await ask<Stopped>("stop_strategy", { id, cancelOrders: false });
    time.pass(200_000);
    const { message, summary } = await ask<Stopped>("stop_strategy", { id, cancelOrders: false });
    expect(message).toMatch(/ is stopped; its open orders are yours now; /);
    expect(summary.openOrders).toHaveLength(4);
  });

  it("sells the base, with a preview of what the order book pays", async () => {
    const { id, ask, preview, exposure, away } = await started({ useOwnBase: true });
    const reply = await preview("stop_strategy", { id, sellBase: true });
    expect(reply.what).toMatch(/^stop, selling its base, /);
    expect(reply.cost).toMatch(
      /^[\d.]+ BTC are sold, worth [\d.]+ USDT at the mid of [\d.]+; (?!what the book)/,
    );
    expect(await exposure("stop_strategy", { id, sellBase: true })).toMatchObject({
      trades: "known",
      quote: 0n,
    });
    // Nobody here can ask for the book, or for the price.
    const far = await preview("stop_strategy", { id, sellBase: true }, away);
    expect(far.cost).toMatch(/; the proceeds in the order book are unknown; /);
    expect(await exposure("stop_strategy", { id, sellBase: true }, away)).toMatchObject({
      trades: "unknown",
    });
    const kept = await ask<Stopped>("stop_strategy", { id });
    expect(kept.message).toMatch(
      /; total -?[\d.]+ USDT, of which 0 realized; [\d.]+ BTC stay in the account, worth [\d.]+ USDT at [\d.]+$/,
    );
  });

  it("reports which orders can still be open, and which process finishes the stop", async () => {
    const { id, ask, unsure, away, cut } = await started();
    expect((await ask<Stopped>("stop_strategy", { id }, away)).message).toBe(
      `${id} stops at the next pass of a process that is configured for sandbox:kraken:; total 0 USDT`,
    );
    const dead = {
      venueOf: () => ({ ...cut.venueOf?.({} as never), cancel: unsureCancel }),
    } as Partial<Deps>;
    const failed = await ask<Stopped>("stop_strategy", { id }, dead);
    expect(failed.message).toMatch(
      /^grid-\S+ is stopping: 4 of its orders could still be open \(the line is cut\); the next passes finish the stop/,
    );
    const output = await ask<Stopped>("stop_strategy", { id }, unsure);
    expect(output.message).toMatch(
      /^grid-\S+ is stopping: 4 of its orders could still be open; the next passes finish the stop; total/,
    );
  });

  it("reports accepted cancels whose outcome cannot be read", async () => {
    const { id, ask, venue } = await started();
    const kraken = venue("kraken");
    let cancels = 0;
    const blind = {
      ...kraken,
      cancel: async (...requests: Parameters<typeof kraken.cancel>) => {
        cancels++;
        return kraken.cancel(...requests);
      },
      openOrders: async (...requests: Parameters<typeof kraken.openOrders>) => {
        if (cancels > 0) throw new Error("the line is cut");
        return kraken.openOrders(...requests);
      },
    };
    const output = await ask<Stopped>("stop_strategy", { id }, { venueOf: () => blind });
    expect(cancels).toBe(4);
    expect(output.message).toMatch(
      /^grid-\S+ is stopping: the exchange accepted the cancels of 4 orders, but their final state cannot be read yet \(the line is cut\); the next/,
    );
  });
});
