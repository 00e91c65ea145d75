import { expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { asGrid } from "../../src/grid/state/state.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { VENUES, type VenueName } from "../../src/model/market.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation, START } from "../support/sandbox.ts";

const PAIR = "ADA/USDT";
const NAMES = Object.keys(VENUES) as VenueName[];

// Exchanges take whole seconds, so an answer may begin before what was asked for.
it.each(NAMES)("a trade on %s just before the reread window is not booked twice", async (name) => {
  const { deps, time, exchange: of, close } = await emulatedExchanges({ names: [name] });
  onTestFinished(close);
  const exchange = of(name);
  const { id } = await runOperation<{ id: string }>(
    deps,
    "start_grid",
    gridInput({
      exchange: name,
      symbol: PAIR,
      lowerPrice: decimal("0.44"),
      upperPrice: decimal("0.56"),
      gridLevels: 8,
      orderSize: decimal("20"),
    }),
  );
  const passUntil = async (seconds: number) => {
    while (time.now() < START + seconds * SECOND) {
      time.pass(Math.min(5 * SECOND, START + seconds * SECOND - time.now()));
      await runRound(deps);
    }
  };
  const fillOne = () => {
    const [order] = exchange.open(PAIR).filter(({ side }) => side === "buy");
    exchange.fill(order?.id ?? "");
  };
  await passUntil(200);
  time.pass(0.5 * SECOND);
  fillOne();
  await passUntil(375.8);
  fillOne();
  // What was read up to is kept as a minute before this pass; two minutes before that is read again.
  await passUntil(380.8);
  await passUntil(400);
  fillOne();
  await passUntil(420);
  const [view] = await deps.store.strategies({ id });
  expect(view?.strategy).toMatchObject({ status: "running", lastError: null });
  expect(view && asGrid(view.strategy).state.ledger.filledOrders).toBe(3);
});
