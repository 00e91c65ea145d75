import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { PLAN_LIFE } from "../../src/model/proposal.ts";
import { carryOver, copyInto } from "../../src/storage/client/backup.ts";
import { appOver, type Target } from "../support/app.ts";
import { BY } from "../support/by.ts";
import { d, GRID } from "../support/grid.ts";
import { orderRequest } from "../support/requests.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";

type Box = Awaited<ReturnType<typeof testSandbox>>;

const MARKET_BUY = { exchange: "kraken", symbol: "BTC/USDT", side: "buy", type: "limit" };

/** A sandbox's database, what is done on it after its backup, and the database that was restored from that. */
async function restoredAfter(before: (box: Box) => Promise<void>, since: (box: Box) => Promise<void>) {
  const folder = tempFolder();
  const [backup, restored] = [join(folder, "backup.db"), join(folder, "restored.db")];
  const box = await testSandbox({ url: `file:${join(folder, "trade.db")}` });
  await before(box);
  await copyInto(box.context.client, backup);
  await since(box);
  copyFileSync(backup, restored);
  await carryOver(box.context.client, restored);
  const again = await testSandbox({ url: `file:${restored}`, start: box.time.now() + 2 * MINUTE });
  await again.store.nextEpoch();
  return again;
}

describe("requests made after a backup", () => {
  it("include a stop that sells the base", async () => {
    const { store } = await restoredAfter(
      async ({ deps }) => void (await runOperation(deps, "start_grid", GRID)),
      async (box) => {
        const [view] = await box.store.strategies({});
        await box.store.setWants(view?.strategy.id ?? "", "stop", { keepOrders: false, sellBase: true }, BY);
      },
    );
    const [view] = await store.strategies({});
    expect(view?.strategy).toMatchObject({ wants: "stop", keepOrders: false, sellBase: true });
  });

  it("stop a grid again that a database without the stop went on with", async () => {
    const folder = tempFolder();
    const [old, backup] = [join(folder, "old.db"), join(folder, "backup.db")];
    const before = await testSandbox({ url: `file:${join(folder, "trade.db")}` });
    const { id } = await runOperation<{ id: string }>(before.deps, "start_grid", GRID);
    await runRound(before.deps);
    await copyInto(before.context.client, old);
    await runOperation(before.deps, "stop_strategy", { id, cancelOrders: true });
    expect((await before.store.strategies({}))[0]?.strategy.status).toBe("stopped");
    await copyInto(before.context.client, backup);

    // The file from before the stop is put back without `db restore`: the grid trades on. The exchange does not go back.
    await before.context.client.execute({ sql: "attach database ? as old", args: [old] });
    for (const table of ["venues", "venue_balances", "venue_orders", "venue_fills", "shocks"]) {
      await before.context.client.execute(`delete from old.${table}`);
      await before.context.client.execute(`insert into old.${table} select * from main.${table}`);
    }
    await before.context.client.execute("detach database old");
    const forgetful = await testSandbox({ url: `file:${old}`, start: before.time.now() + MINUTE });
    forgetful.time.pass(MINUTE);
    await runRound(forgetful.deps);
    expect((await forgetful.venue("kraken").openOrders()).length).toBeGreaterThan(0);
    await carryOver(forgetful.context.client, backup);

    const again = await testSandbox({ url: `file:${backup}`, start: forgetful.time.now() + MINUTE });
    await again.store.nextEpoch();
    for (let pass = 0; pass < 20; pass++) {
      again.time.pass(MINUTE);
      await runRound(again.deps);
    }
    expect(await again.venue("kraken").openOrders()).toEqual([]);
    expect((await again.store.strategies({}))[0]?.strategy.status).toBe("stopped");
  });

  const order = (target: Target) =>
    target.ask("/api/v1/orders", {
      method: "POST",
      headers: {
        authorization: `Bearer ${target.tokens.trade}`,
        "content-type": "application/json",
        "idempotency-key": "once",
      },
      body: JSON.stringify(orderRequest()),
    });

  it("never place a manual order a second time if its first request went unanswered", async () => {
    const again = await restoredAfter(
      async () => {},
      async ({ deps }) => {
        const dying = {
          ...deps.store,
          finishRequest: () => Promise.reject(new Error("the process is gone")),
        };
        expect((await order(await appOver({ ...deps, store: dying }))).status).toBe(500);
        expect(await deps.venue("kraken").openOrders()).toHaveLength(1);
      },
    );
    const answer = await order(await appOver(again.deps));
    expect(answer.status).toBe(200);
    expect(await again.venue("kraken").openOrders()).toHaveLength(1);
  });

  it("include limits, and how much of them the day's orders have used", async () => {
    const buy = (box: Box, clientOrderId: string) => {
      const order = { ...MARKET_BUY, amount: d("0.001"), price: d("50000"), clientOrderId };
      return runOperation(box.deps, "create_order", order);
    };
    const set = (box: Box, usdt: string) =>
      runOperation(box.deps, "set_limits", { scope: "every", dayNotional: { USDT: d(usdt) } });
    const again = await restoredAfter(
      async (box) => void (await set(box, "1000")),
      async (box) => {
        await set(box, "120");
        await buy(box, "one");
      },
    );
    await buy(again, "two");
    await expect(buy(again, "three")).rejects.toThrow(
      /dayNotional is USDT=120, .*, in addition to the 100 USDT that kraken used today/,
    );
  });

  it("never include a commit of an agent's plan that was shown earlier", async () => {
    const key = { id: "plan_1", binding: "whose and what" };
    const preview = { what: "", cost: "", worstCase: "", limits: [] };
    const { store } = await restoredAfter(
      async (box) => {
        const plan = { ...key, actor: "mcp", tool: "create_order", input: {}, preview };
        await box.store.addPlan({ ...plan, life: PLAN_LIFE });
      },
      async (box) => expect(await box.store.consumePlan(key, false)).toEqual(preview),
    );
    expect(await store.consumePlan(key, false)).toBeUndefined();
  });
});
