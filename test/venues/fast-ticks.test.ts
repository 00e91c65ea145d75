import { expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { asGrid, type Slot } from "../../src/grid/state/state.ts";
import { decimal, text } from "../../src/kernel/decimal.ts";
import { type Millis, SECOND } from "../../src/kernel/time.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";

const PAIR = "BTC/USDT";
const PRICES = ["58900", "61100", "59500"];

/** A grid on kraken, whose counter is on, stepped far more often than the counter falls. */
async function grid(tier: "starter" | "pro") {
  const { deps, time, exchange, close } = await emulatedExchanges({ names: ["kraken"], tier });
  onTestFinished(close);
  const venue = exchange("kraken");
  const { id } = await runOperation<{ id: string }>(
    deps,
    "start_grid",
    gridInput({ symbol: PAIR, gridLevels: 12, orderSize: decimal("60") }),
  );
  const missing = async () => {
    const [view] = await deps.store.strategies({ id });
    const open = venue.open(PAIR).map(({ side, price }) => `${side} ${text(price)}`);
    return (view ? asGrid(view.strategy).state.slots : []).map(orderOf).filter((one) => !open.includes(one));
  };
  return {
    venue,
    missing,
    async pass(millis: Millis, every: Millis) {
      for (let passed = 0; passed < millis; passed += every) {
        time.pass(every);
        await runRound(deps);
      }
    },
  };
}

const orderOf = ({ side, lower, upper }: Slot): string => `${side} ${text(side === "buy" ? lower : upper)}`;

it.each([
  ["pro", 300, 20],
  ["pro", 2000, 30],
  ["starter", 300, 60],
  ["starter", 2000, 60],
] as const)(
  "kraken at tier %s, ticked every %d ms, fills every slot with an order within %d s",
  async (tier, every, seconds) => {
    const { venue, missing, pass } = await grid(tier);
    await pass(seconds * SECOND, every);
    expect(await missing()).toEqual([]);
    for (const price of PRICES) {
      venue.move(PAIR, price);
      await pass(seconds * SECOND, every);
      expect(await missing(), `at ${price}`).toEqual([]);
    }
    expect(venue.limited).toEqual([]);
  },
);
