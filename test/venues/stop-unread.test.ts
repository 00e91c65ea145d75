import { afterEach, describe, expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { MINUTE, SECOND } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";
import type { Route } from "./dialect.ts";

const NAMES: readonly VenueName[] = ["mexc", "gateio", "bitget", "kraken"];
const UNREAD: readonly (readonly [string, readonly Route[]])[] = [
  ["trades", ["fills"]],
  ["open orders", ["open"]],
];

interface Stopped {
  readonly message: string;
}

let close: () => Promise<void> = async () => {};
afterEach(() => close());

describe.each(NAMES)("a stop on %s", (name) => {
  async function grid() {
    const setup = await emulatedExchanges({ names: [name], timing: { readLag: 5 * SECOND } });
    close = setup.close;
    const { id } = await runOperation<{ id: string }>(
      setup.deps,
      "start_grid",
      gridInput({ exchange: name }),
    );
    const exchange = setup.exchange(name);
    expect(exchange.open()).toHaveLength(4);
    const stop = (how: object = { cancelOrders: true }) =>
      runOperation<Stopped>(setup.deps, "stop_strategy", { id, ...how });
    const view = async () => (await setup.deps.store.strategies({ id }))[0];
    const events = async () =>
      (await setup.context.client.execute("select message from events where kind = 'error'")).rows.map(
        ({ message }) => String(message),
      );
    return { setup, id, exchange, stop, view, events };
  }

  it.each(UNREAD)(
    "cancels orders while %s cannot be read, reports it, and finishes by itself",
    async (_what, route) => {
      const { setup, exchange, stop, view, events } = await grid();
      exchange.fail({ kind: "server_error", route, times: 1000 });
      const { message } = await stop();
      expect(exchange.open().map(({ id }) => id)).toEqual([]);
      expect(message).toMatch(/is stopping: the exchange accepted the cancels of 4 orders/);
      expect(message).toContain((await view())?.accountError ?? "no error");
      expect(message).not.toMatch(/cancelled/);
      expect(await view()).toMatchObject({ strategy: { status: "running", phase: "stopping" } });
      expect(await events()).toEqual([expect.stringMatching(/4 cancels were sent, then reading failed: /)]);

      for (let pass = 0; pass < 3; pass++) {
        setup.time.pass(6 * MINUTE);
        await runRound(setup.deps);
      }
      expect(await events()).toHaveLength(1);
      exchange.heal();
      setup.time.pass(6 * MINUTE);
      await runRound(setup.deps);
      expect((await view())?.strategy.status).toBe("stopped");
    },
  );

  it("that sells also cancels first, and sells once reads work again", async () => {
    const { setup, exchange, stop, view } = await grid();
    const [bought] = exchange.open().filter(({ side }) => side === "buy");
    exchange.fill(bought?.id ?? "");
    exchange.fail({ kind: "server_error", route: "fills", times: 1000 });
    await stop({ cancelOrders: true, sellBase: true });
    expect(exchange.open().map(({ id }) => id)).toEqual([]);
    exchange.heal();
    for (let pass = 0; pass < 4; pass++) {
      setup.time.pass(6 * MINUTE);
      await runRound(setup.deps);
    }
    expect((await view())?.strategy.status).toBe("stopped");
    expect(exchange.orders().at(-1)).toMatchObject({ side: "sell", force: "ioc", status: "filled" });
  });

  it("that leaves the orders open cancels none of them", async () => {
    const { exchange, stop } = await grid();
    exchange.fail({ kind: "server_error", route: "fills", times: 1000 });
    await stop({ cancelOrders: false });
    expect(exchange.open()).toHaveLength(4);
    expect(exchange.count("cancel")).toBe(0);
  });

  it("requests each cancel once, and finishes in one pass if everything can be read", async () => {
    const { exchange, stop, view } = await grid();
    await stop();
    expect(exchange.count("cancel")).toBe(4);
    expect((await view())?.strategy.status).toBe("stopped");
  });
});
