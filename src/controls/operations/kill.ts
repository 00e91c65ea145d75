import * as z from "zod";
import { flagField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { pluralize } from "../../kernel/pluralize.ts";
import { byOf } from "../../model/events.ts";
import { BUYS_ON } from "../../model/kill.ts";
import type { Order } from "../../model/order.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { LOOK_HOLDS } from "../../ports/kill-permit.ts";
import {
  ClearedShape,
  clear,
  clearedView,
  isReached,
  ordersLeft,
  readRestingOrders,
  requestsText,
  unreachedText,
} from "./clear.ts";
import { panic } from "./panic.ts";
import { switchWritten } from "./switch-write.ts";

export const KillShape = lazy(() => z.object({ on: z.boolean(), message: z.string() }));
const TurnedShape = () =>
  KillShape()
    .extend({ ...ClearedShape() })
    .partial({ done: true, orders: true, ordersOfRequests: true });

const ON = `no new orders; cancels and booking continue, and open orders stay: ${BUYS_ON}`;

async function killAnswer({ store, killHere }: Deps): Promise<z.input<ReturnType<typeof KillShape>>> {
  const on = await store.killed();
  const here = killHere?.reason();
  if (here !== undefined)
    return { on, message: `the kill switch is on in this process, because ${here}: ${ON}` };
  const message = on ? `the kill switch is on: ${ON}` : "the kill switch is off: orders are placed again";
  return { on, message };
}

const KILL_OPERATION = { access: "token", failure: "Internal error" } as const;

/** Operations of the kill switch: while it is on, no order is placed on any account. */
export const killOperations: readonly Operation[] = [
  operation({
    ...KILL_OPERATION,
    name: "get_kill_switch",
    summary: "Show whether the kill switch is on",
    effect: "read",
    http: { route: "GET /kill", from: "query" },
    cli: { path: "kill status", examples: ["edgemaker kill status"] },
    input: () => z.object({}),
    output: KillShape,
    run: killAnswer,
  }),
  operation({
    ...KILL_OPERATION,
    name: "set_kill_switch",
    summary: "Turn the kill switch on or off",
    effect: "admin",
    lane: "urgent",
    http: { route: "POST /kill", from: "body" },
    cli: {
      path: "kill",
      view: clearedView,
      words: {
        on: { summary: "Stop all new orders on all exchanges", input: { on: true } },
        off: { summary: "Allow new orders again", input: { on: false } },
      },
      examples: ["edgemaker kill on", "edgemaker kill on --cancel", "edgemaker kill off"],
      until: {
        isDone: (answer) => (answer as { done?: boolean }).done !== false,
        progress: (answer) => (answer as { message: string }).message,
      },
    },
    input: () =>
      z
        .object({
          on: flagField("Invalid request", "on").describe("true stops all new orders"),
          cancel: flagField("Invalid request", "cancel")
            .default(false)
            .describe("Also cancel every order of edgemaker; grids place them again when the switch is off"),
        })
        .refine(({ on, cancel }) => on || !cancel, {
          path: ["cancel"],
          error: "Invalid request: `cancel` needs the switch on; `orders cancel-all` works without it",
        }),
    output: TurnedShape,
    async run(deps, { on, cancel }, call) {
      const by = byOf(call);
      if (cancel) {
        await switchWritten(deps, deps.store.panic({ cancels: true }, by));
        return cancelled(deps);
      }
      const written = deps.store.setKill(on, by);
      await (on ? switchWritten(deps, written) : written);
      // Another process can have read the switch right before; after this, none of its orders leaves either.
      const [answer] = await Promise.all([killAnswer(deps), on ? deps.local.sleep(LOOK_HOLDS) : undefined]);
      return answer;
    },
  }),
  panic,
];

async function cancelled(deps: Deps): Promise<z.input<ReturnType<typeof TurnedShape>>> {
  const isWaiting = ({ account }: Order) => isReached(deps, account);
  await clear(deps, async () => !(await readRestingOrders(deps)).orders.some(isWaiting));
  const resting = await readRestingOrders(deps);
  const { orders } = resting;
  const done = orders.length === 0;
  const left = unreachedText(
    deps,
    orders.map(({ account }) => account),
  );
  const message = done
    ? "the kill switch is on, and no order of edgemaker is open; grids place their orders again when it is off"
    : `the kill switch is on; ${pluralize(orders.length, "order")} could still be open${left}; repeat the request to continue`;
  return { on: true, done, message: `${message}${requestsText(resting)}`, ...ordersLeft(resting) };
}
