/** Out of everything at once: what rests is cancelled and looked up until nothing does, whatever dies on the way. */

import { describe, expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { testApp } from "../support/app.ts";
import { edgemaker, serve } from "../support/command.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { d } from "../support/grid.ts";
import { liveApp } from "../support/live.ts";
import { appClient } from "../support/mcp.ts";
import { buy, post } from "../support/orders.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

const PANIC = { on: true, stop: true };
const grid = (symbol: string, lower: string, upper: string) =>
  gridInput({ symbol, lowerPrice: d(lower), upperPrice: d(upper) });
const BTC = grid("BTC/USDT", "57000", "63000");
const ETH = grid("ETH/USDT", "2850", "3150");
const BY_HAND = {
  exchange: "kraken",
  symbol: "ADA/USDT",
  side: "buy",
  type: "limit",
  amount: d("100"),
  price: d("0.4"),
};

interface Panic {
  readonly done: boolean;
  readonly message: string;
  readonly orders: readonly object[];
  readonly grids: readonly {
    readonly id: string;
    readonly status: string;
    readonly base: string | null;
    readonly error: string | null;
  }[];
}
interface Status {
  readonly strategies: readonly {
    readonly status: string;
    readonly openOrders: number;
    readonly notices: readonly { readonly code: string }[];
  }[];
}

async function trading() {
  const box = await testSandbox();
  const { deps, time } = box;
  for (const one of [BTC, ETH, { ...BTC, exchange: "mexc" }]) await runOperation(deps, "start_grid", one);
  await runOperation(deps, "create_order", BY_HAND);
  const step = async () => {
    time.pass(1000);
    await runRound(deps);
  };
  await step();
  const resting = async () =>
    (await Promise.all(["kraken", "mexc"].map((one) => box.venue(one).openOrders()))).flat();
  const status = async () => (await runOperation<Status>(deps, "get_grid_status", {})).strategies;
  return { ...box, step, resting, status };
}

describe("panic", () => {
  it("stops every grid and cancels every order, including manual ones", async () => {
    const { deps, resting, store } = await trading();
    expect(await resting()).toHaveLength(13);
    const panic = await runOperation<Panic>(deps, "set_kill_switch", PANIC);
    expect(panic).toMatchObject({
      done: true,
      orders: [],
      message: expect.stringMatching(/no order of edgemaker is open/),
    });
    expect(panic.grids.map(({ status }) => status)).toEqual(["stopped", "stopped", "stopped"]);
    expect(await resting()).toEqual([]);
    expect(await store.killed()).toBe(true);
    await expect(runOperation(deps, "create_order", BY_HAND)).rejects.toMatchObject({ label: "Forbidden" });
  });

  it("leaves the grids' base untouched, or sells only that base within the collar", async () => {
    const { deps, venue, step } = await trading();
    const free = async () =>
      (await venue("kraken").balances()).find(({ asset }) => asset === "BTC")?.free ?? 0n;
    await runOperation(deps, "set_limits", { scope: "every", collarPercent: d("0.5") });
    const kept = await runOperation<Panic>(deps, "set_kill_switch", PANIC);
    expect(kept.done).toBe(true);
    expect(Number(kept.grids.find(({ id }) => id.includes("kraken-BTC"))?.base)).toBeGreaterThan(0);
    const before = await free();
    await runOperation(deps, "set_kill_switch", { on: false, cancel: false });
    await step();
    await runOperation(deps, "start_grid", BTC);
    const sold = await runOperation<Panic>(deps, "set_kill_switch", { ...PANIC, sell: true });
    expect(sold).toMatchObject({ done: true, orders: [] });
    const btc = sold.grids.find(({ id }) => id.includes("kraken-BTC"));
    expect(btc).toMatchObject({ status: "stopped", error: null });
    expect(Number(btc?.base)).toBeLessThan(0.0001);
    expect(await free()).toBeLessThan(before);
  });

  it("sells no lower than the collar, although an exit would", async () => {
    const { deps, context, venue } = await trading();
    await runOperation(deps, "set_limits", { scope: "every", collarPercent: d("0.5") });
    const { bid, ask } = await venue("kraken").ticker("BTC/USDT");
    await runOperation<Panic>(deps, "set_kill_switch", { ...PANIC, sell: true });
    const { rows } = await context.client.execute(
      "select price, symbol from orders where kind = 'exit' and symbol = 'BTC/USDT' and account like '%kraken%'",
    );
    expect(rows.length).toBeGreaterThan(0);
    const floor = (Number((bid + ask) / 2n) / 1e18) * 0.995;
    for (const { price } of rows) expect(Number(price)).toBeGreaterThanOrEqual(Math.floor(floor));
  });

  it("is retried until complete when the exchange does not respond at first", async () => {
    const { deps, venue, resting, time } = await trading();
    const silent = {
      ...venue("kraken"),
      cancel: async () => ({ result: "unknown" as const, reason: "cut" }),
    };
    const cut: Deps = {
      ...deps,
      venueOf: (account) => (account.exchange === "kraken" ? silent : deps.venueOf(account)),
    };
    const first = await runOperation<Panic>(cut, "set_kill_switch", PANIC);
    expect(first).toMatchObject({
      done: false,
      message: expect.stringMatching(/orders could still be open/),
    });
    expect((await resting()).length).toBeGreaterThan(0);
    time.pass(1000);
    expect(await runOperation<Panic>(deps, "set_kill_switch", PANIC)).toMatchObject({ done: true });
    expect(await resting()).toEqual([]);
  });

  it("cancels the orders of a strategy that a newer version stored, and says what it cannot do", async () => {
    const { deps, resting, context } = await trading();
    await context.client.execute("update strategies set version = 99 where account like '%kraken%'");
    const panic = await runOperation<Panic>(deps, "set_kill_switch", { ...PANIC, sell: true });
    expect(panic).toMatchObject({
      done: false,
      message: expect.stringMatching(
        /^the kill switch is on; 2 strategies are not stopped yet.*; repeat the request/,
      ),
    });
    const newer = panic.grids.filter(({ id }) => id.includes("kraken"));
    expect(newer.map(({ status, base, error }) => ({ status, base, error }))).toEqual(
      newer.map(({ id: _ }) => ({
        status: "running",
        base: null,
        error: expect.stringMatching(/^\S+ was stored by a newer version of edgemaker$/),
      })),
    );
    expect(newer).toHaveLength(2);
    expect(await resting()).toEqual([]);
  });

  it("requires an administrator's token and is not an agent tool", async () => {
    const app = await testApp({ mcp: { trading: true, confirm: "plan" } });
    const countRequests = async (token: string) =>
      app.ask("/api/v1/kill", {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(PANIC),
      });
    expect((await countRequests(app.tokens.trade)).status).toBe(403);
    expect((await countRequests(app.tokens.admin)).status).toBe(200);
    const client = await appClient(app, "admin");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).filter((name) => /panic|set_kill/.test(name))).toEqual([]);
  });
});

describe("orders placed with the keys of a request", () => {
  it.each([
    ["a panic", PANIC],
    ["a kill switch that cancels", { on: true, cancel: true }],
  ])("are reported by %s, which cannot cancel them", async (_name, body) => {
    const app = await liveApp(["gateio"]);
    const venue = app.venues.gateio;
    const { key, secret, account } = venue.addKeys();
    const keys = { "x-exchange-key": key, "x-exchange-secret": secret };
    const { order } = await (await post(app, buy("gateio"), keys)).json();
    await post(app, buy("gateio"));
    const response = await app.ask("/api/v1/kill", {
      method: "POST",
      headers: { authorization: `Bearer ${app.tokens.admin}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(await response.json()).toMatchObject({
      done: true,
      orders: [],
      ordersOfRequests: [{ exchange: "gateio", id: order.id }],
      message: expect.stringMatching(
        /no order of edgemaker is open.*; 1 order was placed on gateio with keys of a request/,
      ),
    });
    expect(venue.open()).toEqual([]);
    expect(account.open.size).toBe(1);
    // What the message says can be done.
    const headers = { ...keys, authorization: `Bearer ${app.tokens.trade}` };
    const cancelled = await app.ask("/api/v1/orders?exchange=gateio", { method: "DELETE", headers });
    expect(await cancelled.json()).toMatchObject({ success: true, cancelled: 1 });
    expect(account.open.size).toBe(0);
  });
});

describe("kill on --cancel", () => {
  it("cancels open orders but leaves grids running, which re-place them once the switch is off", async () => {
    const { deps, resting, status, step } = await trading();
    const turn = (on: boolean, cancel = false) =>
      runOperation<Panic>(deps, "set_kill_switch", { on, cancel });
    await turn(true);
    expect((await status()).map(({ notices }) => notices.map(({ code }) => code))).toEqual([
      ["killed"],
      ["killed"],
      ["killed"],
    ]);
    expect(await resting()).toHaveLength(13);
    expect(await turn(true, true)).toMatchObject({ done: true });
    expect(await resting()).toEqual([]);
    expect((await status()).map((one) => one.status)).toEqual(["running", "running", "running"]);
    await turn(false);
    for (const _pass of [1, 2, 3]) await step();
    expect(await resting()).toHaveLength(12);
  });
});

describe("panic in a process that dies at any of its calls", () => {
  /**
   * The service as a process has it that ends at its nth call to the exchange or the database: it never hears more.
   * It has died once the calls that were under way have ended.
   */
  function mortal(deps: Deps, calls: number): { deps: Deps; death: Promise<"died"> } {
    let left = calls;
    let busy = 0;
    let die = (_how: "died") => {};
    const death = new Promise<"died">((resolve) => {
      die = resolve;
    });
    const gone = () => {
      if (busy === 0) die("died");
      return new Promise<never>(() => undefined);
    };
    const heard = async (call: () => unknown) => {
      busy++;
      try {
        return await call();
      } finally {
        busy--;
        if (left < 0 && busy === 0) die("died");
      }
    };
    const wrap = <T extends object>(of: T): T =>
      Object.fromEntries(
        Object.entries(of).map(([name, value]) => [
          name,
          typeof value !== "function" || ["under", "knownKilled", "trouble"].includes(name)
            ? value
            : (...given: unknown[]) => (left-- > 0 ? heard(() => value(...given)) : gone()),
        ]),
      ) as T;
    const venueOf: Deps["venueOf"] = (account) => {
      const venue = deps.venueOf(account);
      if (!venue) return undefined;
      const { under, ...rest } = wrap(venue);
      return { ...rest, ...(under ? { under: (...args) => wrap(under(...args)) } : {}) };
    };
    return { deps: { ...deps, store: wrap(deps.store), venueOf }, death };
  }

  it.each(["mexc", "kraken"] as const)("eventually leaves none of our orders on %s", async (exchange) => {
    const setup = await emulatedExchanges({ names: [exchange] });
    onTestFinished(() => setup.close());
    const venue = setup.exchange(exchange);
    const { time } = setup;
    let died = 0;
    for (let calls = 0; calls < 60; calls += 4) {
      const deps = setup.restarted();
      await runOperation(deps, "set_kill_switch", { on: false, cancel: false });
      await runOperation(deps, "start_grid", { ...BTC, exchange, gridLevels: 2 });
      expect({ calls, open: venue.open().length }).toEqual({ calls, open: 2 });
      const { deps: dying, death } = mortal(deps, calls);
      const done = runOperation<Panic>(dying, "set_kill_switch", PANIC).then(() => "done");
      if ((await Promise.race([done, death])) === "died") died++;
      // Another process starts. A person who has had no answer asks again, where nothing of it was written.
      const next = setup.restarted();
      if (!(await next.store.killed())) await runOperation(next, "set_kill_switch", PANIC);
      for (let passed = 0; (await next.store.due()).length > 0 && passed < 80; passed++) {
        time.pass(5000);
        venue.rest();
        await runRound(next);
      }
      expect({ calls, open: venue.open().length }).toEqual({ calls, open: 0 });
      expect(await next.store.strategies({ stopped: false })).toEqual([]);
      // The lease of the dead one ends.
      time.pass(120_000);
    }
    expect(died).toBeGreaterThan(0);
  });
});

describe("edgemaker panic", () => {
  it("reports its progress, sells, and exits 0", async () => {
    const folder = tempFolder();
    const server = await serve(folder, ["--sandbox", "--tick-interval", "200"]);
    const body = { ...BTC, lowerPrice: 57000, upperPrice: 63000, orderSize: 100 };
    await server.ask("/api/v1/strategy/grid", { method: "POST", body: JSON.stringify(body) });
    const { code, stdout } = await edgemaker(folder, ["panic", "--sell", "--yes", "--json", "--sandbox"]);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, on: true, done: true, orders: [] });
    const orders = await (await server.ask("/api/v1/orders?exchange=kraken")).json();
    expect(orders).toMatchObject({ count: 0 });
  });

  it("exits 1 and lists what remains when the exchange does not respond", async () => {
    const venue = await startVenue("kraken");
    const folder = tempFolder();
    const { keys } = venue;
    const over = {
      EDGEMAKER_EXCHANGES: "kraken",
      EDGEMAKER_VENUE_URLS: `kraken=${venue.url}`,
      KRAKEN_API_KEY: keys.key,
      KRAKEN_SECRET: keys.secret,
    };
    const server = await serve(folder, ["--tick-interval", "60000"], over);
    const body = { ...BTC, lowerPrice: 57000, upperPrice: 63000, orderSize: 100, gridLevels: 2 };
    const started = await server.ask("/api/v1/strategy/grid", { method: "POST", body: JSON.stringify(body) });
    expect(started.status).toBe(200);
    await venue.close();
    const { code, stdout, stderr } = await edgemaker(folder, ["panic", "--wait", "0", "--json"], over);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ done: false, grids: [{ status: "running" }] });
    expect(stderr).toMatch(/1 strategy is not stopped yet/);
  });
});
