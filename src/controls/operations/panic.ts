import * as z from "zod";
import { text, ZERO } from "../../kernel/decimal.ts";
import { flagField } from "../../kernel/fields.ts";
import { splitPair } from "../../kernel/pair.ts";
import { pluralize } from "../../kernel/pluralize.ts";
import type { Millis } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import { byOf } from "../../model/events.ts";
import { calledBy, type Strategy } from "../../model/strategy.ts";
import { operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
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
import { switchWritten } from "./switch-write.ts";

export const PanicShape = () =>
  z.object({ on: z.boolean(), ...ClearedShape(), message: z.string(), grids: z.array(LeavingShape()) });

type PanicAnswer = z.input<ReturnType<typeof PanicShape>>;

/**
 * Operation that stops everything. One write turns the switch on and requests every stop and cancel, so any later
 * pass finishes what this process cannot. A repeated request continues; each response shows what is left.
 */
export const panic = operation({
  name: "panic",
  summary: "Stop new orders, cancel all orders and stop all strategies",
  effect: "admin",
  access: "token",
  lane: "urgent",
  http: { route: "POST /panic", from: "body" },
  cli: {
    path: "panic",
    view: clearedView,
    // Without a sale it asks nothing, because in an emergency no script may fail for lack of --yes.
    final: {
      question: ({ sell }) =>
        sell
          ? "Stop everything, and sell the base of all strategies at up to 10 % below the mid price?"
          : undefined,
    },
    examples: ["edgemaker panic", "edgemaker panic --sell"],
    until: {
      isDone: (answer) => (answer as PanicAnswer).done,
      progress: (answer) => (answer as PanicAnswer).message,
    },
  },
  input: () =>
    z.object({
      sell: flagField("Invalid request", "sell")
        .default(false)
        .describe("Also sell the base of strategies, within the price collar"),
    }),
  output: PanicShape,
  failure: "Internal error",
  async run(deps, { sell }, call) {
    const request = { cancels: true, stops: true, sells: sell };
    const since = await switchWritten(deps, deps.store.panic(request, byOf(call)));
    await clear(deps, async () => {
      const { resting, grids } = await leftOf(deps, since);
      return ![...resting.orders, ...grids].some(({ account }) => isReached(deps, account));
    });
    return panicAnswer(deps, await leftOf(deps, since), sell);
  },
});

interface Left {
  readonly resting: Awaited<ReturnType<typeof readRestingOrders>>;
  /** Strategies that have not stopped yet. */
  readonly grids: readonly Strategy[];
  /** All views, including those that stopped since the switch was turned on. */
  readonly views: readonly StrategyView[];
  /** Stopped strategies whose base nobody asked to sell; a panic with a sale does not sell it either. */
  readonly keptBase: readonly StrategyView[];
}

/** Maximum number of stopped strategies to check. */
const MOST_STOPPED = 500;

async function leftOf(deps: Deps, since: Millis): Promise<Left> {
  const running = await deps.store.strategies({ stopped: false });
  const all = await deps.store.strategies({ stopped: true, page: { limit: MOST_STOPPED } });
  const hasStopped = ({ strategy: { status, stoppedAt, account } }: StrategyView) =>
    status === "stopped" && (stoppedAt ?? 0) >= deps.marketTime(parseAccountKey(account), since);
  return {
    resting: await readRestingOrders(deps),
    grids: running.map(({ strategy }) => strategy),
    views: [...running, ...all.filter(hasStopped)],
    keptBase: all.filter((view) => hasKeptBase(deps, view)),
  };
}

function panicAnswer(deps: Deps, { resting, grids, views, keptBase }: Left, sell: boolean): PanicAnswer {
  const { orders } = resting;
  const unsold = sell ? views.filter((view) => isUnsold(deps, view)) : [];
  const done = orders.length + grids.length + unsold.length === 0;
  const parts = [
    ...(grids.length > 0 ? [`${describeStrategies(grids.length, "is", "are")} not stopped yet`] : []),
    ...(orders.length > 0 ? [`${pluralize(orders.length, "order")} could still be open`] : []),
    ...(unsold.length > 0
      ? [`${describeStrategies(unsold.length, "holds", "hold")} base that is not sold`]
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

const describeStrategies = (count: number, one: string, many: string): string =>
  `${pluralize(count, "strategy")} ${count === 1 ? one : many}`;

/** Maximum number of strategies that a message names. */
const MOST_KEPT_NAMED = 3;

function keptText({ kinds }: Pick<Deps, "kinds">, kept: readonly StrategyView[]): string {
  const names = kept
    .slice(0, MOST_KEPT_NAMED)
    .map(
      (view) =>
        `${calledBy(view.strategy)} (${text(baseOf(kinds, view) ?? ZERO)} ${splitPair(view.strategy.symbol).base})`,
    )
    .join(", ");
  const more = kept.length > MOST_KEPT_NAMED ? ` and ${kept.length - MOST_KEPT_NAMED} more` : "";
  return `; ${pluralize(kept.length, "strategy")} had stopped before with base, which is not sold: ${names}${more}. Sell it manually`;
}

const hasKeptBase = ({ kinds }: Pick<Deps, "kinds">, view: StrategyView): boolean => {
  const { status, sellBase, account, state } = view.strategy;
  const isExcluded = sellBase || parseAccountKey(account).kind === "dry";
  if (status !== "stopped" || isExcluded) return false;
  // The base of one that this version cannot read is unknown, so no amount can be named.
  return state.exit === null && (baseOf(kinds, view) ?? ZERO) > ZERO;
};

/**
 * Returns whether a stopped strategy still has more base than dust. Dust, which the exchange would not accept, is not
 * mentioned.
 */
const isUnsold = ({ kinds }: Pick<Deps, "kinds">, view: StrategyView): boolean => {
  const { status, lastError } = view.strategy;
  return (status !== "stopped" || lastError !== null) && baseOf(kinds, view) !== ZERO;
};
