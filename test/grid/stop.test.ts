import { describe, expect, it } from "vitest";
import { type Driven, drivenApp } from "../support/driven.ts";
import { gridRequest } from "../support/requests.ts";

/** No level is near the market: nothing fills by chance. */
const GRID = gridRequest({ lowerPrice: 57_500, upperPrice: 62_500, gridLevels: 5 });

/** A grid said to be stopped has no order on the venue, and none is on its way. */
async function honest(app: Driven, id: string): Promise<void> {
  const { status, phase } = await app.grid(id);
  const open = (await app.resting()).length;
  const { rows } = await app.context.client.execute("select state from orders where settled = 0");
  if (status === "stopped") expect({ open, unsettled: rows.length }).toEqual({ open: 0, unsettled: 0 });
  else expect({ status, phase }).toEqual({ status: "running", phase: "stopping" });
}

describe("a stop", () => {
  it("requested twice during a step leaves no order when the step continues late", async () => {
    const app = await drivenApp();
    const waiting = app.switches.holdCreates();
    const started = app.start(GRID);
    await waiting;
    const id = await app.onlyGrid();
    const stops = await Promise.all([app.stop(id), app.stop(id)]);
    expect(stops.map(({ status }) => status)).toEqual([200, 200]);
    await honest(app, id);
    app.switches.letGo();
    await started;
    await honest(app, id);
    for (let pass = 0; pass < 4; pass++) {
      await app.tick();
      await honest(app, id);
    }
    expect((await app.grid(id)).status).toBe("stopped");
    expect(await app.resting()).toEqual([]);
  });

  it("during a step that is still placing cancels the step's orders", async () => {
    const app = await drivenApp({ frozen: true });
    const waiting = app.switches.holdCreates();
    const started = app.start(GRID);
    await waiting;
    const id = await app.onlyGrid();
    const stopping = app.stop(id);
    await app.context.client.execute("select 1");
    app.switches.letGo();
    await started;
    expect((await stopping).status).toBe(200);
    await honest(app, id);
    await app.tick();
    expect((await app.grid(id)).status).toBe("stopped");
    expect(await app.resting()).toEqual([]);
  });

  it("with the venue down completes only once the venue is back, and then by itself", async () => {
    const app = await drivenApp();
    const { id } = await app.start(GRID);
    app.switches.isCut = true;
    const answers = [await app.stop(id), await app.stop(id)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.body.message).toMatch(/could still be open/);
    for (let pass = 0; pass < 5; pass++) {
      await app.tick(5000);
      await honest(app, id);
    }
    expect(await app.resting()).toHaveLength(GRID.gridLevels);
    app.switches.isCut = false;
    for (let pass = 0; pass < 2; pass++) await app.tick(5000);
    expect((await app.grid(id)).status).toBe("stopped");
    expect(await app.resting()).toEqual([]);
  });

  it("during a start whose venue goes down waits for orders that can have been placed", async () => {
    const app = await drivenApp();
    const waiting = app.switches.holdCreates();
    const started = app.start(GRID);
    await waiting;
    app.switches.isCut = true;
    app.switches.letGo();
    await started;
    const id = await app.onlyGrid();
    await app.stop(id);
    expect((await app.grid(id)).status).toBe("running");
    await honest(app, id);
    app.switches.isCut = false;
    for (let pass = 0; pass < 3; pass++) await app.tick(10_000);
    expect((await app.grid(id)).status).toBe("stopped");
    expect(await app.resting()).toEqual([]);
  });

  it("that keeps the orders leaves all of them, lists them, and no step touches them again", async () => {
    const app = await drivenApp();
    const { id } = await app.start(GRID);
    const before = (await app.resting()).map((order) => order.id).sort();
    const { body } = await app.stop(id, false);
    expect(body.summary.openOrders?.map((order) => order.id).sort()).toEqual(before);
    expect((await app.grid(id)).status).toBe("stopped");
    const again = await app.stop(id, false);
    expect(again.body.summary.openOrders?.map((order) => order.id).sort()).toEqual(before);
    for (let pass = 0; pass < 3; pass++) await app.tick(20_000);
    for (const order of before)
      expect((await app.venue("kraken").order({ symbol: "BTC/USDT", id: order }))?.status).not.toBe(
        "canceled",
      );
    expect((await app.resting()).every((order) => before.includes(order.id))).toBe(true);
  });

  it("that keeps the orders, during a step, keeps each order completely or not at all", async () => {
    const app = await drivenApp();
    const waiting = app.switches.holdCreates();
    const started = app.start(GRID);
    await waiting;
    const id = await app.onlyGrid();
    await app.stop(id, false);
    app.switches.letGo();
    await started;
    for (let pass = 0; pass < 4; pass++) await app.tick(5000);
    expect((await app.grid(id)).status).toBe("stopped");
    const { body } = await app.stop(id, false);
    const listed = (body.summary.openOrders ?? []).map((order) => order.id).sort();
    expect((await app.resting()).map((order) => order.id).sort()).toEqual(listed);
  });
});
