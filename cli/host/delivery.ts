import { messageOf } from "../../src/kernel/errors.ts";
import { deliver } from "../../src/notify/operations/deliver.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { lookOut } from "../../src/report/operations/look-out.ts";

/** Beside the passes, which wait for no receiver. */
export function startDelivery(deps: Deps, interval: number) {
  const { notify, local, log, reports } = deps;
  if (!notify) return { stop: async () => undefined };
  let isStopping = false;
  let wake: () => void = () => undefined;
  const loop = async () => {
    while (!isStopping) {
      await lookOut(deps).catch((error: unknown) =>
        log("warn", "nobody has looked around", { reason: messageOf(error) }),
      );
      await deliver({ notify, local, log, reports }).catch((error: unknown) =>
        log("warn", "nobody could be told", { reason: messageOf(error) }),
      );
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, interval).unref();
      });
    }
  };
  const running = loop();
  return {
    /** Ends after the round under way. */
    async stop() {
      isStopping = true;
      wake();
      await running;
    },
  };
}
