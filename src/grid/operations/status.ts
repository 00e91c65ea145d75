import * as z from "zod";
import { waitNotices } from "../../engine/decide/waits.ts";
import { accountNotices, marketTimeOf, notConfiguredHere } from "../../engine/operations/reads.ts";
import { stalledFor, stalledNotices, watchNotices } from "../../engine/pass/stop-watch.ts";
import { describeStream, streamNotices } from "../../engine/pass/streams/down.ts";
import { text, wire } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { countField, flagField, idField, textField } from "../../kernel/fields.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import { BUYS_ON } from "../../model/kill.ts";
import { operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StoreDeps, StrategyDeps } from "../../ports/kind.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import { cachedPerView, slotOut, type ViewWithoutTime } from "../schema/accounting.ts";
import { ListShape, StatusShape } from "../schema/schema.ts";
import { currentRange } from "../schema/shapes.ts";
import { gridStatusAnswer, isDry } from "../schema/status-answer.ts";
import { gridsView, hasStalled, listView, withEndings } from "../schema/view.ts";
import { isBetweenLevels, rangeNow } from "../state/range.ts";
import { type GridStrategy, gridViewsOf, STORED_GRID } from "../state/state.ts";

const GRIDS_READ = {
  effect: "read",
  access: "token",
  failure: "Internal error",
  // Agents read grids like every strategy: `get_strategy` and `list_strategies`.
  hasNoTool: true,
} as const;

const pauseOf = ({ strategy: { id, phase, wants } }: ViewWithoutTime): Condition[] =>
  phase === "paused" || wants === "pause"
    ? [
        {
          code: "paused",
          message: `it is paused: open orders can fill, and nothing new is placed until \`edgemaker grid resume ${id}\``,
        },
      ]
    : [];

/** Returns what holds up a running grid besides its account. */
export const conditionsOf = cachedPerView((view): readonly Condition[] =>
  view.strategy.status === "stopped" ? [] : [...pauseOf(view), ...outsideRange(view)],
);

/** Returns the interval of passes; one minute if this process runs none and the interval is unknown. */
const intervalOf = ({ interval }: StoreDeps): Millis => interval ?? MINUTE;

export const gridStatus = operation({
  ...GRIDS_READ,
  name: "get_grid_status",
  summary: "Show grids with their orders and P&L",
  http: { route: "GET /strategy/grid/status", from: "query" },
  cli: {
    path: "grid status",
    positional: ["id"],
    watch: true,
    view: gridsView,
    beside: {
      call: ({ id, ...page }) =>
        id === undefined
          ? { name: "list_strategies", input: { ...page, definition: "grid" } }
          : { name: "get_strategy", input: { id } },
      add: withEndings,
    },
    flags: { stopped: "all" },
    // For scripts that monitor a grid: the exit code is the strongest signal available.
    exit: (answer) => (hasStalled(answer) ? 3 : 0),
    examples: ["edgemaker grid status --watch", "edgemaker grid status --json"],
  },
  input: () =>
    z.object({
      id: idField("Invalid request").optional().describe("Strategy id; default: all running ones"),
      stopped: flagField("Invalid request", "stopped")
        .default(false)
        .describe("Include stopped strategies, newest first"),
      limit: countField("Invalid limit", { min: 1, max: 1000 })
        .optional()
        .describe("Number of strategies, newest first; default 100 with stopped ones"),
      before: textField("Invalid request", /^\d{1,15}$/, "before must be the `next` of the page before")
        .optional()
        .describe("`next` of the previous page"),
    }),
  output: StatusShape,
  async run(deps, { id, stopped, limit, before }) {
    const page = strategiesPage({ stopped, limit, before });
    const found = await deps.store.strategies(
      id === undefined ? { stopped, page, kind: STORED_GRID.name } : { id },
    );
    const views = gridViewsOf(found);
    if (id !== undefined && views.length === 0) throw new AppError("Not found", `there is no strategy ${id}`);
    const killed = await deps.store.killed();
    return {
      strategies: views.map((view) => ({
        ...shownGrid(deps, view, killed),
        ...(id ? { slots: view.strategy.state.slots.map((slot) => slotOut(slot, wire)) } : {}),
      })),
      count: views.length,
      next: page && found.length === page.limit ? String(found.at(-1)?.strategy.number) : null,
      warnings: [...((await deps.keys?.warnings()) ?? [])],
    };
  },
});

/** Returns all running grids at once, and stopped ones in pages. */
function strategiesPage(request: {
  stopped: boolean;
  limit?: number | undefined;
  before?: string | undefined;
}) {
  const { stopped, limit, before } = request;
  if (!stopped && limit === undefined && before === undefined) return undefined;
  return { limit: limit ?? 100, before: before === undefined ? undefined : Number.parseInt(before, 10) };
}

/** Returns notices that a grid's own passes cannot know. */
function noticedFrom(deps: Deps, view: StrategyView<GridStrategy>, killed: boolean) {
  const isStopped = view.strategy.status === "stopped";
  const kill = killed && !isStopped ? [{ code: "killed", message: `the kill switch is on: ${BUYS_ON}` }] : [];
  return [
    ...stalledNotices(view, deps.interval),
    ...accountNotices(view),
    ...conditionsOf(view),
    ...waitNotices(view),
    ...watchNotices(view, intervalOf(deps)),
    ...streamNotices(view, deps.streamReport?.()),
    ...kill,
  ];
}

function shownGrid(deps: Deps, view: StrategyView<GridStrategy>, killed: boolean) {
  const { store, venueOf, marketTime } = deps;
  const account = parseAccountKey(view.strategy.account);
  const isStopped = view.strategy.status === "stopped";
  const missing = venueOf(account) || isStopped ? null : notConfiguredHere(view.strategy.account);
  const watch = noticedFrom(deps, view, killed);
  const trouble = isStopped ? undefined : store.trouble();
  return gridStatusAnswer(view, {
    now: marketTime(account, view.now),
    lastStepAt: marketTimeOf(deps, view.strategy, view.steppedAt),
    missing,
    trouble,
    stream: isStopped ? null : describeStream(view.strategy.account, deps.streamReport?.()),
    watch,
  });
}

/** Returns the entry of a grid in a list; cached until its stored data changes. */
const listedOut = cachedPerView(({ strategy }) => {
  const { id, name = null, account, symbol, status } = strategy;
  return {
    id,
    name,
    dryRun: isDry({ account }),
    exchange: parseAccountKey(account).exchange,
    symbol,
    status,
    ...currentRange(strategy, wire),
  };
});

export const listGrids = operation({
  ...GRIDS_READ,
  name: "list_grids",
  summary: "List running grids",
  http: { route: "GET /strategy/grid/list", from: "query" },
  cli: {
    path: "grid list",
    view: listView,
    columns: ["name", "id", "status", "stalled", "notices", "symbol", "exchange", "range", "startedAt"],
  },
  input: () => z.object({}),
  output: ListShape,
  async run(deps) {
    const { store, interval } = deps;
    const views = gridViewsOf(
      await store.strategies({ stopped: false, kind: STORED_GRID.name, counted: false }),
    );
    const killed = await store.killed();
    const strategies = views.map((view) => {
      return {
        ...listedOut(view),
        stalled: stalledFor(view, interval) > 0,
        notices: [...view.strategy.state.notices, ...noticedFrom(deps, view, killed)].map((one) => ({
          ...one,
        })),
        startedAt: view.strategy.startedAt,
      };
    });
    return { strategies, count: strategies.length };
  },
});

/** Conditions of a running grid at the time of the request, and what the user can do about them. */
interface Condition {
  readonly code: "paused" | "out_of_range";
  readonly message: string;
}

function outsideRange({ strategy, memory }: ViewWithoutTime): Condition[] {
  const { id, symbol, status, phase, state } = strategy;
  const mid = memory.marks[symbol]?.mid;
  if (status !== "running" || phase !== "active" || mid === undefined) return [];
  const range = rangeNow(state);
  if (range === undefined || isBetweenLevels(state, mid)) return [];
  const [where, what] =
    mid > range.upper ? ["above", "it has sold all its base"] : ["below", "it holds the base that it bought"];
  return [
    {
      code: "out_of_range",
      message: `the price ${text(mid)} is ${where} its range ${text(range.lower)} – ${text(range.upper)}: ${what}, and earns nothing until the price returns; \`edgemaker grid edit ${id} --lower … --upper …\` moves it`,
    },
  ];
}

/** How long a response is cached: anybody can request it, and it checks every running grid. */
const WATCH_KEPT_FOR: Millis = SECOND;

/**
 * Returns a function that reports problems with the passes of this process's grids; it returns undefined without
 * problems.
 */
export function passProblemsWatch(deps: Deps): () => Promise<string | undefined> {
  let kept: { readonly at: Millis; readonly message: Promise<string | undefined> } | undefined;
  return () => {
    const at = deps.local.monotonic();
    if (!kept || at - kept.at >= WATCH_KEPT_FOR) kept = { at, message: lookAtGrids(deps) };
    return kept.message;
  };
}

async function lookAtGrids(deps: StrategyDeps): Promise<string | undefined> {
  const views = await deps.store.strategies({ stopped: false, counted: false });
  const own = views.filter(({ strategy }) => deps.venueOf(parseAccountKey(strategy.account)));
  const stalled = own.filter((view) => stalledFor(view, deps.interval) > 0);
  const late = own.filter((view) => watchNotices(view, intervalOf(deps)).length > 0);
  const lines = [
    ...(stalled.length === 0 ? [] : [`stalled: ${strategyNames(stalled)}`]),
    ...(late.length === 0
      ? []
      : [
          `the stop prices of ${late.length} of ${own.length} grids are not being watched: ${strategyNames(late)}; see their status`,
        ]),
  ];
  return lines.length === 0 ? undefined : lines.join("; ");
}

/** Maximum number of strategies that a message names. */
const MAX_STRATEGIES_NAMED = 20;

const strategyNames = (views: readonly StrategyView[]): string => {
  const names = views.slice(0, MAX_STRATEGIES_NAMED).map(({ strategy }) => strategy.id);
  const left = views.length - names.length;
  return `${names.join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
};
