import type { PricePath } from "../../src/adapters/sandbox/matching.ts";
import { type Decimal, decimal, mul } from "../../src/kernel/decimal.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Reference } from "../../src/ports/venue.ts";
import { call, type Net } from "./calls.ts";
import type { Plan } from "./plan.ts";
import type { Task } from "./task.ts";

const TIMEOUT = 10_000;
const TICK = decimal("0.01");
/** In thousandths of the price. */
const FARTHEST = 60;

/** All are silent. */
const NOBODY: Reference = { prices: [], maxConfidence: null, listed: true };

/** Other places' prices, as one task sees them: the venue's own, and now and then far from it until all is quiet. */
export const referenceOf =
  (
    net: Net,
    task: Task,
    pathOf: (symbol: Pair) => PricePath,
    report: (symbol: Pair, price: Decimal) => void,
    silence?: Plan["silence"],
  ): NonNullable<Deps["reference"]> =>
  (_exchange, symbol) =>
    call(net, task, {
      kind: "read",
      name: "reference",
      timeout: TIMEOUT,
      effect: async () => {
        const now = net.scheduler.now();
        if (silence?.of === "others" && now >= silence.from && now < silence.to) return NOBODY;
        const random = net.drawFor(`reference ${symbol}`);
        const isOff = now < net.quietAt && random.chance(0.3);
        const factor = decimal("0.001") * BigInt(1000 + (isOff ? random.whole(-FARTHEST, FARTHEST) : 0));
        const price = mul(TICK * BigInt(Math.round(pathOf(symbol).at(now))), factor, "half");
        report(symbol, price);
        return { prices: [{ source: "elsewhere", price }], maxConfidence: null, listed: true };
      },
      silence: () => NOBODY,
      refused: () => NOBODY,
      lag: 0,
    });
