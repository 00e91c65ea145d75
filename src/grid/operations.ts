import * as z from "zod";
import { AppError } from "../errors.ts";
import { idField } from "../kernel/fields.ts";
import { type Operation, operation } from "../operation.ts";
import type { Deps } from "../ports.ts";
import { parseAccountKey } from "../records.ts";
import type { StrategyView } from "../store.ts";
import { slotOut } from "./accounting.ts";
import { historyOperations } from "./history-operations.ts";
import { pauseOperations } from "./pause-operations.ts";
import { gridOut, isDry, ListShape, StatusShape, TickShape } from "./schema.ts";
import { previewCenteredGrid, previewGrid, startCenteredGrid, startGrid } from "./start-operations.ts";
import { stopGrid } from "./stop-operation.ts";
import { tick } from "./tick.ts";
import { gridsView } from "./view.ts";

const reads = {
  effect: "read",
  access: "token",
  failure: "Internal error",
  mcp: { closedWorld: true },
} as const;

const gridStatus = operation({
  ...reads,
  name: "get_grid_status",
  summary: "Grids, their orders and their profit",
  http: { route: "GET /strategy/grid/status", from: "query" },
  cli: {
    path: "grid status",
    positional: ["id"],
    watch: true,
    view: gridsView,
    examples: ["edgemaker grid status --watch", "edgemaker grid status --json"],
  },
  input: () =>
    z.object({ id: idField("Invalid request").optional().describe("Strategy id; all when left out") }),
  output: StatusShape,
  async run(deps, { id }) {
    const views = await deps.store.strategies({ id });
    if (id !== undefined && views.length === 0) throw new AppError("Not found", `there is no strategy ${id}`);
    return {
      strategies: views.map((view) => ({ ...shown(deps, view), ...(id ? slotsOf(view) : {}) })),
      count: views.length,
    };
  },
});

const slotsOf = ({ strategy }: StrategyView) => ({ slots: strategy.state.slots.map(slotOut) });

function shown({ venueOf, marketTime }: Deps, view: StrategyView) {
  const account = parseAccountKey(view.strategy.account);
  const missing =
    venueOf(account) || view.strategy.status === "stopped" ? null : notConfigured(view.strategy.account);
  return gridOut(account.exchange, view, { now: marketTime(account, view.now), missing });
}

const notConfigured = (account: string): string =>
  `this process is not configured for ${account}: another one has to step it`;

const listGrids = operation({
  ...reads,
  name: "list_grids",
  summary: "Grids that are not stopped",
  http: { route: "GET /strategy/grid/list", from: "query" },
  cli: { path: "grid list" },
  input: () => z.object({}),
  output: ListShape,
  async run({ store }) {
    const views = await store.strategies({ stopped: false });
    const strategies = views.map(({ strategy: { id, account, symbol, status, startedAt } }) => ({
      id,
      dryRun: isDry({ account }),
      exchange: parseAccountKey(account).exchange,
      symbol,
      status,
      startedAt,
    }));
    return { strategies, count: strategies.length };
  },
});

const tickNow = operation({
  name: "tick",
  summary: "One pass over every account, for schedulers of your own",
  effect: "admin",
  access: "token",
  http: { route: "POST /internal/tick", from: "body" },
  cli: { path: "tick" },
  input: () => z.object({}),
  output: TickShape,
  failure: "Internal error",
  run: async (deps) => ({ accounts: await tick(deps) }),
});

/** Grid strategies, and the pass that steps them. */
export const gridOperations = (ids: readonly string[]): Operation[] => [
  previewGrid(ids),
  startGrid(ids),
  previewCenteredGrid(ids),
  startCenteredGrid(ids),
  stopGrid,
  ...pauseOperations,
  gridStatus,
  listGrids,
  ...historyOperations,
  tickNow,
];
