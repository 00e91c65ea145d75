import { describe, expect, it } from "vitest";
import { killOperations } from "../../../src/controls/operations/panic.ts";
import type { Order } from "../../../src/model/order.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import type { StrategyFilter } from "../../../src/ports/stores/store.ts";
import { REQUEST } from "../../support/grid.ts";
import { order } from "../../support/made.ts";
import { askingOf, testSandbox } from "../../support/sandbox.ts";

const kill = killOperations.find(({ name }) => name === "set_kill_switch");

interface Left {
  readonly done: boolean;
  readonly message: string;
  readonly orders: readonly { readonly exchange: string }[];
  readonly grids: readonly { readonly id: string }[];
}

async function trading(over: object = {}) {
  const box = await testSandbox();
  const { deps } = box;
  const asking = askingOf(deps);
  const { id } = await asking.ask<{ id: string }>("start_grid", { ...REQUEST, ...over });
  const readOutput = (how: object = {}, of: Partial<Deps> = {}) =>
    asking.ask<Left>("set_kill_switch", { on: true, stop: true, ...how }, of);
  /** With other orders, and other strategies, than there are. */
  const store = (of: Partial<Deps["store"]>): Partial<Deps> => ({ store: { ...deps.store, ...of } });
  /** Takes the first cancels and says nothing of them. */
  const slow = (exchange: string) => {
    const venue = box.venue(exchange);
    let cancels = 0;
    const cancel: typeof venue.cancel = async (...requests) =>
      ++cancels > 2 ? venue.cancel(...requests) : { result: "unknown", reason: "cut" };
    return { ...venue, cancel };
  };
  return {
    ...box,
    ...asking,
    id,
    readOutput,
    store,
    slow,
    away: { venueOf: () => undefined } as Partial<Deps>,
  };
}
const here = { killHere: { reason: () => "a file says so" } } as Partial<Deps>;
const FAR = order({ account: "live:mexc:api.mexc.com", strategy: null });

describe("the remaining work of a panic", () => {
  it("is retried while this process can access any of it, whatever other processes have", async () => {
    const { deps, readOutput, ask, slow } = await trading({ useOwnBase: false });
    await ask("start_grid", { ...REQUEST, exchange: "mexc", useOwnBase: false });
    const kraken = slow("kraken");
    const own: Partial<Deps> = { venueOf: ({ exchange }) => (exchange === "kraken" ? kraken : undefined) };
    const answer = await readOutput({}, own);
    expect(answer.done).toBe(false);
    expect([...new Set(answer.orders.map(({ exchange }) => exchange))]).toEqual(["mexc"]);
    expect(await readOutput({}, { venueOf: deps.venueOf })).toMatchObject({ done: true });
  });

  it("is retried by the kill switch too, when it cancels orders", async () => {
    const { ask, slow } = await trading({ useOwnBase: false });
    await ask("start_grid", { ...REQUEST, exchange: "mexc", useOwnBase: false });
    const kraken = slow("kraken");
    const own: Partial<Deps> = { venueOf: ({ exchange }) => (exchange === "kraken" ? kraken : undefined) };
    const answer = await ask<Left>("set_kill_switch", { on: true, cancel: true }, own);
    expect([...new Set(answer.orders.map(({ exchange }) => exchange))]).toEqual(["mexc"]);
  });

  it("is incomplete while a grid, an order or base is left", async () => {
    const one = await trading({ lowerPrice: 59_500, upperPrice: 64_500, gridLevels: 2, useOwnBase: false });
    expect(await one.readOutput({}, one.away)).toMatchObject({
      done: false,
      message: expect.stringMatching(/^the kill switch is on; 1 strategy is not stopped yet, 1 order could/),
    });
    const holds = await trading();
    await holds.ask("set_kill_switch", { on: true, cancel: true });
    expect(await holds.readOutput({ sell: true }, holds.away)).toMatchObject({
      done: false,
      message: expect.stringMatching(
        /^the kill switch is on; 1 strategy is not stopped yet, 1 strategy holds base/,
      ),
    });
  });

  it("omits whatever is not left", async () => {
    const { readOutput, store } = await trading({ useOwnBase: false });
    const answer = await readOutput(
      { sell: true },
      { ...store({ unsettledOrders: async () => [FAR] as Order[], strategies: async () => [] }), ...here },
    );
    expect(answer.message).toBe(
      "the kill switch is on; 1 order could still be open; this process has no keys for mexc: another process has to finish it, or cancel them on the exchange's site; repeat the request to continue",
    );
  });

  it("excludes the dust of a grid that the panic ended", async () => {
    const { deps, readOutput, store } = await trading();
    const [begun] = await deps.store.strategies({});
    const ended = (lastError: string | null) => {
      const strategy = {
        ...begun?.strategy,
        status: "stopped",
        stoppedAt: Number.MAX_SAFE_INTEGER,
        lastError,
      };
      const strategies = async ({ stopped }: StrategyFilter) => (stopped ? [{ ...begun, strategy }] : []);
      return store({ strategies: strategies as never, unsettledOrders: async () => [] });
    };
    expect(await readOutput({ sell: true }, ended(null))).toMatchObject({ done: true });
    expect(await readOutput({ sell: true }, ended("no buyer"))).toMatchObject({
      done: false,
      message:
        "the kill switch is on; 1 strategy holds base that is not sold; repeat the request to continue",
    });
    expect(await readOutput({}, { ...ended("no buyer"), ...here })).toMatchObject({ done: true });
  });

  it("has a shape that clients can read", async () => {
    const answer = await (await trading()).readOutput({});
    expect(Object.keys(kill?.output.parse(answer) as object).sort()).toEqual(Object.keys(answer).sort());
  });
});

it("a panic on the command line asks before it sells, repeats until it is done, and shows its progress", async () => {
  const { until, words } = kill?.cli ?? {};
  const { final, input } = words?.panic ?? {};
  expect(input).toEqual({ on: true, stop: true });
  expect(final?.question({ sell: true })).toMatch(/sell the base of all strategies/);
  expect(final?.question({ sell: false })).toBeUndefined();
  const answer = await (await trading()).readOutput({});
  expect(until?.isDone(answer)).toBe(answer.done);
  expect(until?.isDone({ ...answer, done: !answer.done })).toBe(!answer.done);
  expect(until?.progress(answer)).toBe(answer.message);
});

it("a panic requests every cancel and every stop, and a sale only if it is asked for", async () => {
  const { deps, readOutput, store } = await trading({ useOwnBase: false });
  const requests: unknown[] = [];
  const noted = store({
    panic: (request, by) => {
      requests.push(request);
      return deps.store.panic(request, by);
    },
  });
  await readOutput({}, noted);
  await readOutput({ sell: true }, noted);
  expect(requests).toEqual([
    { cancels: true, stops: true, sells: false },
    { cancels: true, stops: true, sells: true },
  ]);
});

it("a panic reads running strategies before stopped ones, so that none escapes between the reads", async () => {
  const { deps, readOutput, store } = await trading({ useOwnBase: false });
  const filters: (boolean | undefined)[] = [];
  const strategies: Deps["store"]["strategies"] = (filter) => {
    filters.push(filter.stopped);
    return deps.store.strategies(filter);
  };
  await readOutput({}, store({ strategies }));
  expect(filters.slice(-2)).toEqual([false, true]);
});
