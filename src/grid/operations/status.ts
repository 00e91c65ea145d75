import * as z from "zod";
import { stalledFor, stalledNotices } from "../../engine/pass/stalled.ts";
import { watchNotices } from "../../engine/pass/stop-watch.ts";
import { describeStream, streamNotices } from "../../engine/pass/streams/down.ts";
import { AppError } from "../../kernel/errors.ts";
import { countField, flagField, idField, textField } from "../../kernel/fields.ts";
import { parseAccountKey } from "../../model/account.ts";
import { BUYS_ON } from "../../model/kill.ts";
import { operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import { gridKind, gridViewsOf } from "../kind.ts";
import { slotOut } from "../schema/accounting.ts";
import { conditionsOf } from "../schema/conditions.ts";
import { lyingOut } from "../schema/follows.ts";
import { madeOnce } from "../schema/made-once.ts";
import { ListShape, StatusShape } from "../schema/schema.ts";
import { gridStatusAnswer, isDry } from "../schema/status-answer.ts";
import { gridsView, hasStalled, listView } from "../schema/view.ts";
import type { GridStrategy } from "../state/state.ts";
import { intervalOf } from "./watch-over.ts";

const GRIDS_READ = {
  effect: "read",
  access: "token",
  failure: "Internal error",
  mcp: { isSelfContained: true },
} as const;

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
      limit: countField("Invalid limit", { least: 1, most: 1000 })
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
      id === undefined ? { stopped, page, kind: gridKind.name } : { id },
    );
    const views = gridViewsOf(found);
    if (id !== undefined && views.length === 0) throw new AppError("Not found", `there is no strategy ${id}`);
    const killed = await deps.store.killed();
    return {
      strategies: views.map((view) => ({
        ...shownGrid(deps, view, killed),
        ...(id ? slotsShown(view) : {}),
      })),
      count: views.length,
      next: page && found.length === page.limit ? String(found.at(-1)?.strategy.number) : null,
      warnings: [...((await deps.warnings?.()) ?? [])],
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

const slotsShown = ({ strategy }: StrategyView<GridStrategy>) => ({
  slots: strategy.state.slots.map(slotOut),
});

/** Returns notices that a grid's own passes cannot know. */
function noticedFrom(deps: Deps, view: StrategyView<GridStrategy>, killed: boolean) {
  const isStopped = view.strategy.status === "stopped";
  const kill = killed && !isStopped ? [{ code: "killed", message: `the kill switch is on: ${BUYS_ON}` }] : [];
  return [
    ...stalledNotices(view, deps.interval),
    ...conditionsOf(view),
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
    missing,
    trouble,
    stream: isStopped ? null : describeStream(view.strategy.account, deps.streamReport?.()),
    watch,
  });
}

const notConfiguredHere = (account: string): string =>
  `this process is not configured for ${account}: another process has to run it`;

/** Returns the entry of a grid in a list; cached until its stored data changes. */
const listedOut = madeOnce(({ strategy }) => {
  const { id, name = null, account, symbol, status } = strategy;
  return {
    ...{ id, name, dryRun: isDry({ account }), exchange: parseAccountKey(account).exchange, symbol, status },
    ...lyingOut(strategy),
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
    const views = gridViewsOf(await store.strategies({ stopped: false, kind: gridKind.name }));
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
