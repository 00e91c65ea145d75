import type { Live } from "../../src/compose/deps.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import type { Deps } from "../../src/ports/deps.ts";

/** Checks the permissions of the configured keys in the background; results are logged and shown by grid status. */
export function checkKeyRights({ live, log }: Deps & { readonly live?: Live }): { stop(): void } {
  let isStopping = false;
  live?.venues.rights
    .ask(0, () => !isStopping)
    .catch((error: unknown) => {
      if (!isStopping)
        log("warn", "the permissions of the exchange keys could not be checked", {
          reason: messageOf(error),
        });
    });
  return {
    stop() {
      isStopping = true;
    },
  };
}
