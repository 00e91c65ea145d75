import { expect, it, onTestFinished } from "vitest";
import { tick } from "../../src/engine/pass/tick.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { emulatedWorld } from "../support/emulated.ts";
import { runOperation } from "../support/sandbox.ts";

const PAIR = "BTC/USDT";

it.each(["base", "quote"] as const)(
  "mexc's own first fill tells that a buy's fee is taken in %s; until then the dearer counts",
  async (asset) => {
    const world = await emulatedWorld({ names: ["mexc"], venue: { buyFeeIn: asset } });
    onTestFinished(world.close);
    const exchange = world.exchange("mexc");
    exchange.list(PAIR, { maker: decimal("0.001") });
    const market = () => world.restarted().venue("mexc").market(PAIR);
    expect(await market()).toMatchObject({ buyFeeIn: "unknown" });
    await runOperation(world.deps, "start_grid", {
      exchange: "mexc",
      symbol: PAIR,
      lowerPrice: decimal("57000"),
      upperPrice: decimal("63000"),
      gridLevels: 4,
      orderSize: decimal("200"),
    });
    const buy = exchange.open(PAIR).find(({ side }) => side === "buy");
    exchange.fill(buy?.id ?? "");
    world.time.pass(5 * SECOND);
    await tick(world.deps);
    expect(await market()).toMatchObject({ buyFeeIn: asset });
  },
);
