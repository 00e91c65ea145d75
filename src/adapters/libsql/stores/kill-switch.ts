import { isKeptBack } from "../../../model/kill.ts";
import type { StepStore } from "../../../ports/stores/step-store.ts";
import type { Context } from "../../../storage/client/context.ts";
import { writeText } from "../../../storage/client/event-chain.ts";
import { knownSwitch } from "../../../storage/client/known-switch.ts";
import { type KillChange, switchReader, turnStatements } from "./kill-rows.ts";

/** Reads and turns the kill switch, and remembers what this process knows of it. */
export function killSwitch(
  context: Context,
): Pick<StepStore, "killed" | "setKill" | "panic" | "knownKilled"> {
  const known = knownSwitch();
  const readSwitch = switchReader(context);

  const turn = (request: KillChange) =>
    known.turn(request.on, request.panic, () =>
      writeText(context, request.by, ({ tell }) => turnStatements(context, tell, request), {
        isFirst: true,
      }),
    );

  return {
    async killed(account, kind = "slot") {
      if (known.isTurning() && known.keepsBack(kind)) return true;
      const requestCount = known.turns();
      const found = await readSwitch(account);
      known.read(found, requestCount);
      return isKeptBack(found, kind);
    },

    async setKill(on, by) {
      await turn({ on, by, panic: {} });
    },

    async panic(panic, by) {
      const results = await turn({ on: true, by, panic });
      return Number(results[1]?.rows[0]?.[0]);
    },

    knownKilled: (kind = "slot") => known.keepsBack(kind),
  };
}
