import { expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";

const PAIR = "BTC/USDT";

async function buyOnce({
  deps,
  exchange,
  time,
}: Awaited<ReturnType<typeof emulatedExchanges>>): Promise<void> {
  exchange("mexc").list(PAIR, { maker: decimal("0.001") });
  await runOperation(
    deps,
    "start_grid",
    gridInput({ exchange: "mexc", symbol: PAIR, orderSize: decimal("200") }),
  );
  const buy = exchange("mexc")
    .open(PAIR)
    .find(({ side }) => side === "buy");
  exchange("mexc").fill(buy?.id ?? "");
  time.pass(5 * SECOND);
  await runRound(deps);
}

it.each(["base", "quote"] as const)(
  "mexc's first own fill shows that a buy's fee is charged in %s; until then it is unknown",
  async (asset) => {
    const setup = await emulatedExchanges({ names: ["mexc"], venue: { buyFeeIn: asset } });
    onTestFinished(setup.close);
    const market = () => setup.restarted().venue("mexc").market(PAIR);
    expect(await market()).toMatchObject({ buyFeeIn: "unknown" });
    await buyOnce(setup);
    expect(await market()).toMatchObject({ buyFeeIn: asset });
  },
);

it("fills are read for the fee asset every minute until one reveals it, then every hour", async () => {
  const setup = await emulatedExchanges({ names: ["mexc"], venue: { buyFeeIn: "base" } });
  onTestFinished(setup.close);
  const client = setup.context.client as { execute: typeof setup.context.client.execute };
  const { execute } = client;
  let reads = 0;
  client.execute = (statement, use) => {
    if (typeof statement !== "string" && statement.sql.includes("side = 'buy'")) reads++;
    return execute(statement, use);
  };
  const venue = setup.restarted().venue("mexc");
  const readsIn = async (minutes: number) => {
    const before = reads;
    for (let quarter = 0; quarter < 4 * minutes; quarter++) {
      await venue.market(PAIR);
      setup.time.pass(15 * SECOND);
    }
    return reads - before;
  };
  expect(await readsIn(5)).toBe(5);
  await buyOnce(setup);
  expect(await readsIn(60)).toBe(1);
  expect(await venue.market(PAIR)).toMatchObject({ buyFeeIn: "base" });
});
