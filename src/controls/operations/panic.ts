import * as z from "zod";
import { text, ZERO } from "../../kernel/decimal.ts";
import { AppError, messageOf } from "../../kernel/errors.ts";
import { flagField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { splitPair } from "../../kernel/pair.ts";
import { countWithVerb, pluralize } from "../../kernel/plain-text.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import { type ActorAndRequest, byOf } from "../../model/events.ts";
import { BUYS_ON } from "../../model/kill.ts";
import type { Order } from "../../model/order.ts";
import { calledBy, type Strategy } from "../../model/strategy.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { SWITCH_READ_VALID_MS } from "../../ports/kill-permit.ts";
import type { StoreDeps, StrategyDeps } from "../../ports/kind.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import { withinTime } from "../../ports/within-time.ts";
import {
  baseOf,
  ClearedShape,
  clear,
  clearedView,
  isReached,
  LeavingShape,
  ordersLeft,
  readRestingOrders,
  requestsText,
  strategyLeft,
  unreachedText,
} from "./clear.ts";

export const KillShape = lazy(() => z.object({ on: z.boolean(), message: z.string() }));
const TurnedShape = () =>
  KillShape()
    .extend({ ...ClearedShape(), grids: z.array(LeavingShape()) })
    .partial({ done: true, orders: true, ordersOfRequests: true, grids: true });

type TurnedAnswer = z.input<ReturnType<typeof TurnedShape>>;

/** Maximum number of stopped strategies to check. */
const MAX_STOPPED_CHECKED = 500;

/** Maximum number of strategies that a message names. */
const MAX_KEPT_STRATEGIES_NAMED = 3;

const hasKeptBase = ({ kinds }: Pick<Deps, "kinds">, view: StrategyView): boolean => {
  const { status, sellBase, account, state } = view.strategy;
  const isExcluded = sellBase || parseAccountKey(account).kind === "dry";
  if (status !== "stopped" || isExcluded) return false;
  // The base of one that this version cannot read is unknown, so no amount can be named.
  return (state.exit === null || state.exit.keeps === true) && (baseOf(kinds, view) ?? ZERO) > ZERO;
};

/**
 * Returns whether a stopped strategy still has more base than dust. Dust, which the exchange would not accept, is not
 * mentioned.
 */
const isUnsold = ({ kinds }: Pick<Deps, "kinds">, view: StrategyView): boolean => {
  const { status, lastError } = view.strategy;
  return (status !== "stopped" || lastError !== null) && baseOf(kinds, view) !== ZERO;
};

/** Maximum wait for the database before the user learns that it does not respond. */
const MAX_SWITCH_WRITE_MS: Millis = SECOND;

/**
 * Returns the result of a write that turns the kill switch on. Throws `Not ready` after one second: the write
 * continues, and this process already places no orders.
 */
export const switchWritten = <T>(deps: Deps, write: Promise<T>): Promise<T> =>
  withinTime(
    write,
    MAX_SWITCH_WRITE_MS,
    () => {
      const logged = write.catch((error: unknown) =>
        deps.log("warn", "the kill switch was not written", { reason: messageOf(error) }),
      );
      deps.local.outlast?.(logged);
      return new AppError("Not ready", lateText(deps));
    },
    deps.local.timer,
  );

/**
 * Stops everything. One write turns the switch on and requests every stop and cancel, so any later pass finishes what
 * this process cannot. A repeated request continues; each response shows what is left.
 */
async function panic(deps: Deps, sells: boolean, by: ActorAndRequest): Promise<TurnedAnswer> {
  const since = await switchWritten(deps, deps.store.panic({ cancels: true, stops: true, sells }, by));
  await clear(deps, async () => {
    const { resting, grids } = await leftOf(deps, since);
    return ![...resting.orders, ...grids].some(({ account }) => isReached(deps, account));
  });
  return panicAnswer(deps, await leftOf(deps, since), sells);
}

interface Left {
  readonly resting: Awaited<ReturnType<typeof readRestingOrders>>;
  /** Strategies that have not stopped yet. */
  readonly grids: readonly Strategy[];
  /** All views, including those that stopped since the switch was turned on. */
  readonly views: readonly StrategyView[];
  /** Stopped strategies whose base nobody asked to sell; a panic with a sale does not sell it either. */
  readonly keptBase: readonly StrategyView[];
}

async function leftOf(deps: StrategyDeps, since: Millis): Promise<Left> {
  const running = await deps.store.strategies({ stopped: false });
  const all = await deps.store.strategies({ stopped: true, page: { limit: MAX_STOPPED_CHECKED } });
  const hasStopped = ({ strategy: { status, stoppedAt, account } }: StrategyView) =>
    status === "stopped" && (stoppedAt ?? 0) >= deps.marketTime(parseAccountKey(account), since);
  return {
    resting: await readRestingOrders(deps),
    grids: running.map(({ strategy }) => strategy),
    views: [...running, ...all.filter(hasStopped)],
    keptBase: all.filter((view) => hasKeptBase(deps, view)),
  };
}

function panicAnswer(
  deps: StrategyDeps,
  { resting, grids, views, keptBase }: Left,
  sell: boolean,
): TurnedAnswer {
  const { orders } = resting;
  const unsold = sell ? views.filter((view) => isUnsold(deps, view)) : [];
  const done = orders.length + grids.length + unsold.length === 0;
  const parts = [
    ...(grids.length > 0 ? [`${countWithVerb(grids.length, "strategy")} not stopped yet`] : []),
    ...(orders.length > 0 ? [`${pluralize(orders.length, "order")} could still be open`] : []),
    ...(unsold.length > 0
      ? [`${countWithVerb(unsold.length, "strategy", "holds", "hold")} base that is not sold`]
      : []),
  ];
  const accounts = [...orders, ...grids].map(({ account }) => account);
  const here = deps.killHere?.reason();
  const kept =
    sell && here !== undefined && unsold.length > 0 ? `; nothing is sold here, because ${here}` : "";
  const hasKept = sell && keptBase.length > 0;
  const every = hasKept ? "every strategy that was running" : "every strategy";
  const message = done
    ? `the kill switch is on, ${every} is stopped${sell ? " and sold" : ""}, and no order of edgemaker is open${hasKept ? keptText(deps, keptBase) : ""}`
    : `the kill switch is on; ${parts.join(", ")}${kept}${unreachedText(deps, accounts)}; repeat the request to continue`;
  return {
    on: true,
    done,
    message: `${message}${requestsText(resting)}`,
    grids: views.map((view) => strategyLeft(deps, view)),
    ...ordersLeft(resting),
  };
}

function keptText({ kinds }: Pick<Deps, "kinds">, kept: readonly StrategyView[]): string {
  const names = kept
    .slice(0, MAX_KEPT_STRATEGIES_NAMED)
    .map(
      (view) =>
        `${calledBy(view.strategy)} (${text(baseOf(kinds, view) ?? ZERO)} ${splitPair(view.strategy.symbol).base})`,
    )
    .join(", ");
  const more =
    kept.length > MAX_KEPT_STRATEGIES_NAMED ? ` and ${kept.length - MAX_KEPT_STRATEGIES_NAMED} more` : "";
  return `; ${pluralize(kept.length, "strategy")} had stopped before with base, which is not sold: ${names}${more}. Sell it manually`;
}

function lateText({ store, killHere }: Pick<Deps, "store" | "killHere">): string {
  const trouble =
    store.lockedFor() > 0 ? "the database is locked by another process" : "the database does not respond";
  const file = killHere?.file;
  const advice =
    file === undefined
      ? "to stop every other process now, deploy with EDGEMAKER_KILL=1"
      : `to stop every process on the server's machine now, create the file ${file}`;
  return `${trouble}, so the kill switch is not written yet: this process places nothing; ${advice}`;
}

const ON = `no new orders; cancels and booking continue, and open orders stay: ${BUYS_ON}`;

async function killAnswer({ store, killHere }: StoreDeps): Promise<z.input<ReturnType<typeof KillShape>>> {
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
    summary: "Turn the kill switch on or off, and stop everything if requested",
    effect: "admin",
    lane: "urgent",
    http: { route: "POST /kill", from: "body" },
    cli: {
      path: "kill",
      view: clearedView,
      words: {
        "kill on": {
          summary: "Stop all new orders on all exchanges",
          input: { on: true },
          fields: ["cancel"],
        },
        "kill off": { summary: "Allow new orders again", input: { on: false }, fields: [] },
        panic: {
          summary: "Stop new orders, cancel all orders and stop all strategies",
          input: { on: true, stop: true },
          fields: ["sell"],
          // Without a sale it asks nothing, because in an emergency no script may fail for lack of --yes.
          final: {
            question: ({ sell }) =>
              sell
                ? "Stop everything, and sell the base of all strategies at up to 10 % below the mid price?"
                : undefined,
          },
        },
      },
      examples: [
        "edgemaker kill on",
        "edgemaker kill on --cancel",
        "edgemaker kill off",
        "edgemaker panic",
        "edgemaker panic --sell",
      ],
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
          stop: flagField("Invalid request", "stop")
            .default(false)
            .describe("Also stop all strategies and cancel every order of edgemaker: a panic"),
          sell: flagField("Invalid request", "sell")
            .default(false)
            .describe("Also sell the base of the strategies that `stop` stops, within the price collar"),
        })
        .refine(({ on, cancel }) => on || !cancel, {
          path: ["cancel"],
          error: "Invalid request: `cancel` needs the switch on; `orders cancel-all` works without it",
        })
        .refine(({ on, stop }) => on || !stop, {
          path: ["stop"],
          error: "Invalid request: `stop` needs the switch on",
        })
        .refine(({ stop, sell }) => stop || !sell, {
          path: ["sell"],
          error: "Invalid request: `sell` needs `stop`, because a running strategy would buy again",
        }),
    output: TurnedShape,
    async run(deps, { on, cancel, stop, sell }, call) {
      const by = byOf(call);
      if (stop) return panic(deps, sell, by);
      if (cancel) {
        await switchWritten(deps, deps.store.panic({ cancels: true }, by));
        return cancelled(deps);
      }
      const written = deps.store.setKill(on, by);
      await (on ? switchWritten(deps, written) : written);
      // Another process can have read the switch right before; after this, none of its orders leaves either.
      const [answer] = await Promise.all([
        killAnswer(deps),
        on ? deps.local.sleep(SWITCH_READ_VALID_MS) : undefined,
      ]);
      return answer;
    },
  }),
];

async function cancelled(deps: Deps): Promise<TurnedAnswer> {
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
