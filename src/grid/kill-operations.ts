import * as z from "zod";
import { flagField } from "../kernel/fields.ts";
import { lazy } from "../kernel/lazy.ts";
import { LOOK_HOLDS } from "../kill-permit.ts";
import { byOf, type Operation, operation } from "../operation.ts";
import type { Deps } from "../ports.ts";

const KillShape = lazy(() => z.object({ on: z.boolean(), message: z.string() }));

const ON =
  "no order is placed; cancels and booking go on, and what rests stays until its grid is stopped: buys may still fill, and what they buy is not sold";

async function told({ store, killHere }: Deps): Promise<z.input<ReturnType<typeof KillShape>>> {
  const on = await store.killed();
  const here = killHere?.reason();
  if (here !== undefined) return { on, message: `the kill switch is on in this process, as ${here}: ${ON}` };
  const message = on
    ? `the kill switch is on: ${ON}`
    : "the kill switch is off: grids and orders by hand are placed";
  return { on, message };
}

const same = { access: "token", failure: "Internal error", output: KillShape } as const;

/** One switch for every account: while it is on, no order of any grid or hand is placed. */
export const killOperations: readonly Operation[] = [
  operation({
    ...same,
    name: "get_kill_switch",
    summary: "Whether the kill switch is on",
    effect: "read",
    http: { route: "GET /kill", from: "query" },
    cli: { path: "kill status", examples: ["edgemaker kill status"] },
    input: () => z.object({}),
    run: told,
  }),
  operation({
    ...same,
    name: "set_kill_switch",
    summary: "Turn the kill switch on or off",
    effect: "admin",
    http: { route: "POST /kill", from: "body", urgent: true },
    cli: {
      path: "kill",
      words: {
        on: { summary: "Place no order any more, on any exchange", input: { on: true } },
        off: { summary: "Place orders again", input: { on: false } },
      },
      examples: ["edgemaker kill on", "edgemaker kill off"],
    },
    input: () =>
      z.object({ on: flagField("Invalid request", "on").describe("true places nothing any more") }),
    async run(deps, { on }, call) {
      await deps.store.setKill(on, byOf(call));
      // Another process may have looked right before: after this, nothing of its leaves either.
      if (on) await deps.local.sleep(LOOK_HOLDS);
      return told(deps);
    },
  }),
];
