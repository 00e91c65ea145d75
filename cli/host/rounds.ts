import { nodeLocal } from "./process/node-local.ts";

/**
 * Runs rounds one after another until stopped: a late round delays the next, none overlap, and stopping waits for the
 * current one. It does not wait between rounds while `isPressing`.
 */
export function rounds(interval: number, round: () => Promise<void>, isPressing = () => false) {
  let isStopping = false;
  let wake: () => void = () => undefined;
  const loop = async () => {
    while (!isStopping) {
      const startedAt = nodeLocal.monotonic();
      await round();
      // A stop during the round has nothing to wake.
      if (isStopping) return;
      const wait = isPressing() ? 0 : Math.max(0, interval - (nodeLocal.monotonic() - startedAt));
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, wait).unref();
      });
    }
  };
  const running = loop();
  return {
    async stop() {
      isStopping = true;
      wake();
      await running;
    },
  };
}
