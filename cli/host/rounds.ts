import { nodeLocal } from "./process/node-local.ts";

/**
 * Rounds one after another until stopped: a late one delays the next, none overlap, and the last one ends first. None
 * waits for its time while `isPressing`.
 */
export function rounds(interval: number, round: () => Promise<void>, isPressing = () => false) {
  let isStopping = false;
  let wake: () => void = () => undefined;
  const loop = async () => {
    while (!isStopping) {
      const startedAt = nodeLocal.monotonic();
      await round();
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
