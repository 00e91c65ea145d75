import type { ServiceDeps } from "../../src/compose/deps.ts";
import { lookOutFor } from "../../src/compose/look-out.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { sampleLiquidity } from "../../src/liquidity/operations/sample.ts";
import type { LiquidityDeps } from "../../src/liquidity/store/store.ts";
import { deliver } from "../../src/notify/operations/deliver.ts";
import { rounds } from "./rounds.ts";

/** Delivers messages in the background, so passes never wait for a receiver. */
export function startDelivery(deps: ServiceDeps, interval: number) {
  const { notify, local, log, reports } = deps;
  if (!notify) return { stop: async () => undefined };
  return rounds(interval, async () => {
    await lookOutFor(deps).catch((error: unknown) =>
      log("warn", "the health check failed", { reason: messageOf(error) }),
    );
    await deliver({ notify, local, log, reports }).catch((error: unknown) =>
      log("warn", "messages could not be sent", { reason: messageOf(error) }),
    );
  });
}

/** Samples order books in the background, so nothing waits for a slow exchange. */
export function startSampling(deps: LiquidityDeps, interval: number) {
  if (!deps.liquidity) return { stop: async () => undefined };
  return rounds(interval, () =>
    sampleLiquidity(deps).catch((error: unknown) =>
      deps.log("warn", "no order book was sampled", { reason: messageOf(error) }),
    ),
  );
}
