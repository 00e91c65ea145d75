import { messageOf } from "../../src/kernel/errors.ts";
import { deliver } from "../../src/notify/operations/deliver.ts";
import type { Deps } from "../../src/ports/deps.ts";

/** Beside the passes, which wait for no receiver. */
export function startDelivery({ notify, local, log }: Deps, interval: number) {
  if (!notify) return { stop: async () => undefined };
  let isStopping = false;
  let wake: () => void = () => undefined;
  const loop = async () => {
    while (!isStopping) {
      await deliver({ notify, local, log }).catch((error: unknown) =>
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
