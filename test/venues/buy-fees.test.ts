import { expect, it, onTestFinished } from "vitest";
import { tick } from "../../src/engine/pass/tick.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { emulatedWorld } from "../support/emulated.ts";
import { runOperation } from "../support/sandbox.ts";

const PAIR = "BTC/USDT";

async function buyOnce({ deps, exchange, time }: Awaited<ReturnType<typeof emulatedWorld>>): Promise<void> {
  exchange("mexc").list(PAIR, { maker: decimal("0.001") });
  await runOperation(deps, "start_grid", {
    exchange: "mexc",
    symbol: PAIR,
    lowerPrice: decimal("57000"),
    upperPrice: decimal("63000"),
    gridLevels: 4,
    orderSize: decimal("200"),
  });
  const buy = exchange("mexc")
    .open(PAIR)
    .find(({ side }) => side === "buy");
  exchange("mexc").fill(buy?.id ?? "");
  time.pass(5 * SECOND);
  await tick(deps);
}

it.each(["base", "quote"] as const)(
  "mexc's own first fill tells that a buy's fee is taken in %s; until then the dearer counts",
  async (asset) => {
    const world = await emulatedWorld({ names: ["mexc"], venue: { buyFeeIn: asset } });
    onTestFinished(world.close);
    const market = () => world.restarted().venue("mexc").market(PAIR);
    expect(await market()).toMatchObject({ buyFeeIn: "unknown" });
    await buyOnce(world);
    expect(await market()).toMatchObject({ buyFeeIn: asset });
  },
);

it("reads fills for the fee asset once a minute while no fill reveals it, and once an hour after that", async () => {
  const world = await emulatedWorld({ names: ["mexc"], venue: { buyFeeIn: "base" } });
  onTestFinished(world.close);
  const client = world.context.client as { execute: typeof world.context.client.execute };
  const { execute } = client;
  let reads = 0;
  client.execute = (statement, use) => {
    if (typeof statement !== "string" && statement.sql.includes("side = 'buy'")) reads++;
    return execute(statement, use);
  };
  const venue = world.restarted().venue("mexc");
  const readsIn = async (minutes: number) => {
    const before = reads;
    for (let quarter = 0; quarter < 4 * minutes; quarter++) {
      await venue.market(PAIR);
      world.time.pass(15 * SECOND);
    }
    return reads - before;
  };
  expect(await readsIn(5)).toBe(5);
  await buyOnce(world);
  expect(await readsIn(60)).toBe(1);
  expect(await venue.market(PAIR)).toMatchObject({ buyFeeIn: "base" });
});
