import { readForChange, readKept, venueForChange } from "../../engine/operations/start-reads.ts";
import { lazy } from "../../kernel/lazy.ts";
import type { StrategyDeps } from "../../ports/kind.ts";
import type { EditRequest, ReadyEdit } from "../../ports/plan.ts";
import type { Venue } from "../../ports/venue.ts";
import { edited, type GridChange } from "../start/edited.ts";
import {
  describeChanges,
  type EditInputs,
  editFacts,
  editWarnings,
  planEdit,
  usesOfEdit,
} from "../start/planned-edit.ts";
import { withBound } from "../start/preview.ts";
import type { GridStrategy } from "../state/state.ts";
import { readEditExposure } from "./exposures.ts";
import { readLastWeek } from "./past.ts";

/** Reads the market, and checks a change of a grid against it. */
export async function readGridEdit(
  deps: StrategyDeps,
  { strategy, config }: EditRequest<GridStrategy>,
): Promise<ReadyEdit> {
  const { venue, inputs } = await readForEdit(deps, strategy);
  const planned = planEdit(strategy, edited(strategy, config as GridChange, inputs), inputs);
  const { cancels, shown } = planned;
  const exposure = lazy(() => readEditExposure(deps, strategy, planned, inputs));
  const { market, killed, orders } = inputs;
  const open = orders.filter((order) => order.strategy === strategy.id);
  return {
    changes: describeChanges(planned.edited),
    warnings: planned.edited.warnings,
    shown,
    exposure,
    async config(isLimited) {
      const { bound: _, ...free } = planned.edited.config;
      return isLimited ? withBound(await exposure(), free, strategy.state.ledger) : free;
    },
    plan: async () => ({
      market,
      killed,
      uses: usesOfEdit(strategy, planned, inputs),
      warnings: editWarnings(strategy, planned, inputs),
      kept: open.length - cancels.length,
      cancelled: cancels.length,
      facts: async () => editFacts(strategy, planned, inputs, await readLastWeek(venue, strategy.symbol)),
    }),
  };
}

async function readForEdit(deps: StrategyDeps, { id, account, symbol }: GridStrategy) {
  const venue = venueForChange(deps, account);
  const [market, quote, balances] = await readForChange(venue, () => readEditVenue(venue, symbol));
  const running = await deps.store.strategies({ stopped: false, account });
  const others = running.filter(({ strategy }) => strategy.id !== id);
  const kept = await readKept(deps, others, { market, balances });
  const killed = await deps.store.killed();
  const all = await deps.store.unsettledOrders(account);
  const orders = all.filter((order) => order.symbol === symbol);
  const inputs: EditInputs = { market, quote, balances, kept, killed, orders };
  return { venue, inputs };
}

const readEditVenue = async (venue: Venue, symbol: GridStrategy["symbol"]) =>
  [await venue.market(symbol), await venue.ticker(symbol), await venue.balances()] as const;
