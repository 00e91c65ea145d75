import { describe, expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { edgemaker } from "../support/command.ts";
import { d } from "../support/grid.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";

const GRID = gridInput();
const BY_HAND = { exchange: "kraken", symbol: "BTC/USDT", side: "buy", type: "limit", amount: d("0.001") };

interface Status {
  readonly strategies: readonly { status: string; refused: readonly { slot: number; reason: string }[] }[];
}

async function started() {
  const box = await testSandbox();
  const { deps, time, venue, context } = box;
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);
  const step = async () => {
    time.pass(1000);
    return runRound(deps);
  };
  return {
    ...box,
    id,
    step,
    turn: (on: boolean) => runOperation<{ on: boolean }>(deps, "set_kill_switch", { on }),
    status: async () => (await runOperation<Status>(deps, "get_grid_status", { id })).strategies[0],
    open: async () => (await venue("kraken").openOrders()).map(({ id: order }) => order),
    cancelOne: async () => {
      const [order] = await venue("kraken").openOrders();
      return runOperation(deps, "cancel_order", { ...BY_HAND, id: order?.id });
    },
    intents: async () => (await context.client.execute("select client_id from orders")).rows.length,
  };
}

describe("the kill switch, on", () => {
  it("places nothing, shows the reason in the status, and leaves open orders untouched", async () => {
    const { turn, step, status, open, cancelOne, intents } = await started();
    await turn(true);
    await cancelOne();
    for (const _pass of [1, 2, 3]) await step();
    expect(await open()).toHaveLength(3);
    expect(await intents()).toBe(4);
    expect((await status())?.refused.map(({ reason }) => reason)).toEqual(["killed"]);
  });

  it("still allows stops and cancels", async () => {
    const { turn, step, deps, id, open, status } = await started();
    await turn(true);
    await runOperation(deps, "stop_strategy", { id, cancelOrders: true });
    await step();
    expect(await open()).toEqual([]);
    expect((await status())?.status).toBe("stopped");
  });

  it("rejects a manual order and a new grid, and stores neither", async () => {
    const { turn, deps, intents, store } = await started();
    await turn(true);
    const request = { ...BY_HAND, price: d("50000") };
    await expect(runOperation(deps, "create_order", request)).rejects.toMatchObject({ label: "Forbidden" });
    await expect(runOperation(deps, "start_grid", GRID)).rejects.toMatchObject({ label: "Forbidden" });
    expect(await intents()).toBe(4);
    expect(await store.strategies({})).toHaveLength(1);
  });

  it("records one event per change, with the actor", async () => {
    const { turn, context } = await started();
    for (const on of [true, true, false, false, true]) await turn(on);
    const { rows } = await context.client.execute("select message from events where kind = 'kill'");
    expect(rows.map(({ message }) => message)).toEqual(["on, by test", "off, by test", "on, by test"]);
  });

  it("lets every slot place its order after it is turned off", async () => {
    const { turn, step, cancelOne, open, status } = await started();
    await turn(true);
    await cancelOne();
    await step();
    await turn(false);
    await step();
    await step();
    expect(await open()).toHaveLength(4);
    expect((await status())?.refused).toEqual([]);
  });
});

describe("edgemaker kill", () => {
  it("turns on the switch, reports its state and turns it off", async () => {
    const folder = tempFolder();
    const run = async (...words: string[]) => {
      const { code, stdout } = await edgemaker(folder, ["kill", ...words, "--sandbox", "--json"]);
      return { code, on: (JSON.parse(stdout) as { on: boolean }).on };
    };
    expect(await run("status")).toEqual({ code: 0, on: false });
    expect(await run("on")).toEqual({ code: 0, on: true });
    expect(await run("status")).toEqual({ code: 0, on: true });
    expect(await run("off")).toEqual({ code: 0, on: false });
  });

  it.each([
    [["kill"], /name a sub-command of kill/],
    [["kill", "onn"], /did you mean on\?/],
    [["kill", "on", "--on"], /unknown flag: --on/],
  ])("%j exits 2", async (words, pattern) => {
    const { code, stderr } = await edgemaker(tempFolder(), words);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(pattern) });
  });
});
