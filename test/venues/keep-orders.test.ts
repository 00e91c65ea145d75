import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";

const LAG = 20 * SECOND;

describe("a stop that keeps the orders, right after a start, on an exchange with late reads", () => {
  let setup: Awaited<ReturnType<typeof emulatedExchanges>>;
  beforeEach(async () => {
    setup = await emulatedExchanges({ names: ["gateio"], timing: { readLag: LAG, secondMiss: 5 * SECOND } });
    setup.exchange("gateio").late({ orders: LAG, trades: LAG });
  });
  afterEach(() => setup.close());

  const start = () =>
    runOperation(
      setup.deps,
      "start_grid",
      gridInput({ exchange: "gateio", lowerPrice: decimal("55000"), upperPrice: decimal("65000") }),
    ) as Promise<{ id: string }>;
  const stop = (id: string) =>
    runOperation(setup.deps, "stop_strategy", { id, cancelOrders: false }) as Promise<{
      summary: { openOrders?: readonly { id: string }[]; filledOrders: number };
    }>;

  const step = async () => {
    setup.time.pass(5 * SECOND);
    setup.exchange("gateio").advance();
    await runRound(setup.deps);
  };

  async function untilStopped(id: string): Promise<void> {
    for (let passed = 0; passed < 10 * LAG; passed += 5 * SECOND) {
      await step();
      const [view] = await setup.deps.store.strategies({ id });
      if (view?.strategy.status === "stopped") return;
    }
    throw new Error("the grid did not stop");
  }

  it("lists every order that it leaves open", async () => {
    const { id } = await start();
    await stop(id);
    await untilStopped(id);
    const there = setup.exchange("gateio").open();
    const { summary } = await stop(id);
    expect(there).toHaveLength(4);
    expect(summary.openOrders?.map((order) => order.id).sort()).toEqual(
      there.map((order) => order.id).sort(),
    );
  });

  it("books fills from before the order was visible", async () => {
    const { id } = await start();
    const [first] = setup.exchange("gateio").open();
    setup.exchange("gateio").fill(first?.id ?? "");
    await stop(id);
    await untilStopped(id);
    const { summary } = await stop(id);
    expect(summary.filledOrders).toBe(1);
    expect(summary.openOrders).toHaveLength(3);
  });

  it("books fills from while the order was still shown as open", async () => {
    const { id } = await start();
    for (let passed = 0; passed < 2 * LAG; passed += 5 * SECOND) await step();
    const [first] = setup.exchange("gateio").open();
    setup.exchange("gateio").fill(first?.id ?? "");
    await stop(id);
    await untilStopped(id);
    const { summary } = await stop(id);
    expect(summary.filledOrders).toBe(1);
    expect(summary.openOrders).toHaveLength(3);
  });
});
