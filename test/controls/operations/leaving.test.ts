import { describe, expect, it } from "vitest";
import {
  clear,
  clearedView,
  isReached,
  ordersLeft,
  readRestingOrders,
  requestsText,
  strategyLeft,
  unreachedText,
} from "../../../src/controls/operations/clear.ts";
import type { Order } from "../../../src/model/order.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import type { StrategyView } from "../../../src/ports/stores/store.ts";
import { REQUEST } from "../../support/grid.ts";
import { order, strategy } from "../../support/made.ts";
import { askingOf, testSandbox } from "../../support/sandbox.ts";

const PANIC = { on: true, stop: true };
const OWN = "sandbox:kraken:";
const REQUESTS = "live:kraken#1234:api.kraken.com";
const MEXC = "live:mexc:api.mexc.com";

describe("repeated passes until nothing is left", () => {
  /** Nothing is due; each look, and each wait between two, is counted. */
  async function cleared({
    doneAfter = 99,
    wait = 0,
    left,
  }: {
    doneAfter?: number;
    wait?: number;
    left?: number;
  }) {
    let [now, looks, waits] = [500, 0, 0];
    const deps = {
      local: {
        monotonic: () => now,
        sleep: async (millis: number) => {
          waits++;
          now += wait || millis;
        },
      },
      store: { due: async () => [] },
      ...(left === undefined ? {} : { requests: () => left }),
    } as unknown as Deps;
    await clear(deps, async () => ++looks >= doneAfter);
    return { looks, waits };
  }

  it("run in sequence until the work is done", async () => {
    expect(await cleared({ doneAfter: 1 })).toEqual({ looks: 1, waits: 0 });
    expect(await cleared({ doneAfter: 3 })).toEqual({ looks: 3, waits: 2 });
  });

  it("end after eight seconds, or when no requests are left for another", async () => {
    expect(await cleared({ wait: 4000 })).toEqual({ looks: 3, waits: 2 });
    expect(await cleared({ wait: 7999 })).toEqual({ looks: 3, waits: 2 });
    expect(await cleared({ left: 15 })).toEqual({ looks: 1, waits: 0 });
    expect(await cleared({ left: 16, doneAfter: 2 })).toEqual({ looks: 2, waits: 1 });
  });

  it.each([
    ["without a bound", undefined, 0],
    ["with requests for one", 16, 0],
    ["with too few requests", 15, 6],
  ])("step the accounts that this process can access, %s", async (_, left, resting) => {
    const { deps, venue } = await testSandbox();
    const { ask } = askingOf(deps);
    const { id } = await ask<{ id: string }>("start_grid", REQUEST);
    await deps.store.setWants(
      id,
      "stop",
      { keepOrders: false, sellBase: false },
      { actor: "test", request: null },
    );
    const isOnce = async () => true;
    await clear({ ...deps, venueOf: () => undefined }, isOnce);
    expect(await venue("kraken").openOrders()).toHaveLength(6);
    await clear({ ...deps, ...(left === undefined ? {} : { requests: () => left }) }, isOnce);
    expect(await venue("kraken").openOrders()).toHaveLength(resting);
  });
});

describe("the report of what is left", () => {
  const resting = async (orders: readonly Order[]) =>
    readRestingOrders({ store: { unsettledOrders: async () => orders } } as unknown as Deps);
  const ofRequest = (clientId: string) => order({ clientId, account: REQUESTS });

  it("lists every order that can be open, with those only a request's keys reach separate", async () => {
    const [own, query] = [order({ account: OWN }), ofRequest("r")];
    const ended = order({ clientId: "e", state: "filled" });
    const left = await resting([own, query, ended]);
    expect(left).toEqual({ orders: [own], ofRequests: [query] });
    const shown = {
      symbol: "BTC/USDT",
      side: "buy",
      status: "open",
      strategy: "g",
      id: "x1",
      exchange: "kraken",
    };
    expect(ordersLeft(left)).toEqual({
      orders: [{ ...shown, clientOrderId: own.clientId }],
      ordersOfRequests: [{ ...shown, clientOrderId: "r" }],
    });
  });

  it("shows a person only lists that have rows", () => {
    const [left, of] = [{ id: "g" }, { id: "x" }];
    const shown = { on: true, message: "on" };
    const answer = { ...shown, grids: [left], orders: [], ordersOfRequests: [] };
    expect(clearedView(answer)).toEqual({ ...shown, strategies: [left] });
    expect(clearedView({ ...answer, grids: [], orders: [of], ordersOfRequests: [of] })).toEqual({
      ...shown,
      orders: [of],
      "orders of request keys": [of],
    });
    expect(clearedView(shown)).toEqual(shown);
  });

  it("lists at most a hundred of each", () => {
    const many = Array.from({ length: 101 }, (_, i) => order({ clientId: `${i}` }));
    const { orders, ordersOfRequests } = ordersLeft({ orders: many, ofRequests: many });
    expect([orders.length, ordersOfRequests.length]).toEqual([100, 100]);
  });

  it("explains what a person can do about orders of requests", () => {
    expect(requestsText({ orders: [], ofRequests: [] })).toBe("");
    const format = (...ids: string[]) => requestsText({ orders: [], ofRequests: ids.map(ofRequest) });
    expect(format("a")).toMatch(/^; 1 order was placed on kraken with keys of a request/);
    expect(format("a", "b")).toMatch(/^; 2 orders were placed on kraken with keys/);
  });

  it("names the accounts that another process has to finish", () => {
    const deps = {
      venueOf: ({ exchange }: { exchange: string }) => (exchange === "kraken" ? {} : undefined),
    };
    const here = deps as unknown as Deps;
    expect([isReached(here, OWN), isReached(here, MEXC)]).toEqual([true, false]);
    expect(unreachedText(here, [OWN])).toBe("");
    expect(unreachedText(here, [OWN, MEXC, MEXC])).toBe(
      "; this process has no keys for mexc: another process has to finish it, or cancel them on the exchange's site",
    );
  });

  it("shows for a grid its position and why it does not proceed", () => {
    const kinds = () => ({ version: strategy().version, holdings: () => ({ base: 5n * 10n ** 17n }) });
    const left = (over: object, accountError: string | null = null) =>
      strategyLeft({ kinds } as never, { strategy: strategy(over), accountError } as unknown as StrategyView);
    expect(left({})).toEqual({ id: "g", status: "running", asset: "BTC", base: "0.5", error: null });
    expect(left({}, "the line is cut").error).toBe("the line is cut");
    expect(left({ lastError: "no base" }, "the line is cut").error).toBe("no base");
    expect(left({ status: "stopped" }, "the line is cut").error).toBeNull();
    expect(left({ version: 99 }).base).toBeNull();
  });
});

interface Left {
  readonly on: boolean;
  readonly done: boolean;
  readonly message: string;
  readonly orders: readonly object[];
  readonly ordersOfRequests: readonly object[];
  readonly grids: readonly { readonly id: string; readonly status: string; readonly base: string }[];
}

async function trading(over: object = {}) {
  const box = await testSandbox();
  const asking = askingOf(box.deps);
  const { id } = await asking.ask<{ id: string }>("start_grid", { ...REQUEST, ...over });
  const resting = async () => (await box.venue("kraken").openOrders()).length;
  const kraken = box.venue("kraken");
  /** Its venue takes cancels and never says what became of them. */
  const cut = {
    venueOf: () => ({ ...kraken, cancel: async () => ({ result: "unknown", reason: "cut" }) as const }),
  };
  return { ...box, ...asking, id, resting, cut };
}

describe("the kill switch", () => {
  it("describes itself and where it was turned on", async () => {
    const { ask, store } = await trading();
    const readOutput = (over: object = {}) => ask<Left>("get_kill_switch", {}, over);
    expect(await readOutput()).toEqual({
      on: false,
      message: "the kill switch is off: orders are placed again",
    });
    await store.setKill(true, { actor: "test", request: null });
    expect(await readOutput()).toMatchObject({
      on: true,
      message: expect.stringMatching(/^the kill switch is on: no new orders; .* cancels them$/),
    });
    const here = { killHere: { reason: () => "a file says so" } };
    expect((await readOutput(here)).message).toMatch(
      /^the kill switch is on in this process, because a file says so: no new orders/,
    );
  });

  it("takes effect once no earlier read of its state can still be valid", async () => {
    const { ask, time, resting, store } = await trading();
    const before = time.now();
    expect(await ask<Left>("set_kill_switch", { on: true })).toMatchObject({ on: true });
    expect(time.now() - before).toBe(1000);
    expect(await ask<Left>("set_kill_switch", { on: false })).toMatchObject({ on: false });
    expect(time.now() - before).toBe(1000);
    expect([await resting(), await store.killed()]).toEqual([6, false]);
  });

  it("cancels every order on request, but never while it is off", async () => {
    const { ask, resting, store } = await trading();
    await expect(ask("set_kill_switch", { on: false, cancel: true })).rejects.toThrow(/cancel/);
    expect(await ask<Left>("set_kill_switch", { on: true, cancel: true })).toEqual({
      on: true,
      done: true,
      message:
        "the kill switch is on, and no order of edgemaker is open; grids place their orders again when it is off",
      orders: [],
      ordersOfRequests: [],
    });
    expect([await resting(), await store.killed()]).toEqual([0, true]);
  });

  it("reports orders that can still be open: on this process's accounts and on all others", async () => {
    const { ask, cut } = await trading();
    const reply = await ask<Left>("set_kill_switch", { on: true, cancel: true }, cut);
    expect(reply).toMatchObject({ on: true, done: false });
    expect(reply.message).toBe(
      "the kill switch is on; 6 orders could still be open; repeat the request to continue",
    );
    expect(reply.orders).toHaveLength(6);
    const away = await ask<Left>("set_kill_switch", { on: true, cancel: true }, { venueOf: () => undefined });
    expect(away.message).toMatch(
      /^the kill switch is on; 6 orders could still be open; this process has no keys for kraken/,
    );
    expect(await ask<Left>("set_kill_switch", { on: true, cancel: true })).toMatchObject({ done: true });
  });
});

describe("panic", () => {
  it("stops every grid, cancels every order, and reports only the grids that it stopped", async () => {
    const { ask, id, resting, store, time } = await trading({ useOwnBase: false });
    const earlier = await ask<{ id: string }>("start_grid", {
      ...REQUEST,
      symbol: "ETH/USDT",
      lowerPrice: 2850,
      upperPrice: 3150,
    });
    await ask("stop_strategy", { id: earlier.id });
    time.pass(60_000);
    const reply = await ask<Left>("set_kill_switch", PANIC);
    expect(reply).toEqual({
      on: true,
      done: true,
      message: "the kill switch is on, every strategy is stopped, and no order of edgemaker is open",
      grids: [{ id, status: "stopped", asset: "BTC", base: expect.any(String), error: null }],
      orders: [],
      ordersOfRequests: [],
    });
    expect([await resting(), await store.killed()]).toEqual([0, true]);
  });

  it("leaves base alone or sells it", async () => {
    const kept = await trading();
    const reply = await kept.ask<Left>("set_kill_switch", PANIC);
    expect(reply.done).toBe(true);
    expect(Number(reply.grids[0]?.base)).toBeGreaterThan(0);
    const sold = await (await trading()).ask<Left>("set_kill_switch", { ...PANIC, sell: true });
    expect(sold).toMatchObject({ done: true, grids: [{ status: "stopped" }] });
    expect(sold.message).toBe(
      "the kill switch is on, every strategy is stopped and sold, and no order of edgemaker is open",
    );
    expect(Number(sold.grids[0]?.base)).toBeLessThan(0.0001);
  });

  it("does not call base sold that an earlier panic has left alone", async () => {
    const { ask, id, time, venue } = await trading();
    const btc = async () => (await venue("kraken").balances()).find(({ asset }) => asset === "BTC")?.free;
    const base = Number((await ask<Left>("set_kill_switch", PANIC)).grids[0]?.base);
    const [before] = [await btc(), time.pass(60_000)];
    const reply = await ask<Left>("set_kill_switch", { ...PANIC, sell: true });
    expect(base).toBeGreaterThan(0);
    expect(await btc()).toBe(before);
    expect(reply).toMatchObject({
      done: true,
      message: `the kill switch is on, every strategy that was running is stopped and sold, and no order of edgemaker is open; 1 strategy had stopped before with base, which is not sold: ${id} (${base} BTC). Sell it manually`,
    });
    expect((await ask<Left>("set_kill_switch", PANIC)).message).not.toContain("sold");
  });

  it("reports what is not done: grids, orders and unsold base", async () => {
    const { ask, cut } = await trading();
    const reply = await ask<Left>("set_kill_switch", { ...PANIC, sell: true }, cut);
    expect(reply).toMatchObject({ on: true, done: false, grids: [{ status: "running" }] });
    expect(reply.message).toBe(
      "the kill switch is on; 1 strategy is not stopped yet, 6 orders could still be open, 1 strategy holds base that is not sold; repeat the request to continue",
    );
    const here = { ...cut, killHere: { reason: () => "a file says so" } };
    expect((await ask<Left>("set_kill_switch", { ...PANIC, sell: true }, here)).message).toMatch(
      /base that is not sold; nothing is sold here, because a file says so; repeat the request to continue$/,
    );
    expect((await ask<Left>("set_kill_switch", PANIC, here)).message).toMatch(
      /^the kill switch is on; 1 strategy is not stopped yet, \d orders could still be open; repeat the request to continue$/,
    );
    expect((await ask<Left>("set_kill_switch", PANIC, { venueOf: () => undefined })).message).toMatch(
      /\d orders could still be open; this process has no keys for kraken: another process/,
    );
  });

  it("omits whatever is not left", async () => {
    const { ask } = await trading({ triggerPrice: 50_000, useOwnBase: false });
    const reply = await ask<Left>("set_kill_switch", { ...PANIC, sell: true }, { venueOf: () => undefined });
    expect(reply.message).toMatch(
      /^the kill switch is on; 1 strategy is not stopped yet; this process has no keys/,
    );
  });
});
