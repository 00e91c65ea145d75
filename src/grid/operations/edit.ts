import { readForChange, readKept, venueForChange } from "../../engine/operations/start-reads.ts";
import { runPassNow } from "../../engine/pass/round.ts";
import { text } from "../../kernel/decimal.ts";
import { AppError, noLongerHolds } from "../../kernel/errors.ts";
import { lazy } from "../../kernel/lazy.ts";
import { splitPair } from "../../kernel/pair.ts";
import { countWithVerb } from "../../kernel/plain-text.ts";
import { parseAccountKey } from "../../model/account.ts";
import { type ActorAndRequest, byOf } from "../../model/events.ts";
import type { Preview } from "../../model/proposal.ts";
import { checkHolds, planHashOf } from "../../model/shown-plan.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Venue } from "../../ports/venue.ts";
import { pendingEdit } from "../plan/moves.ts";
import { editInput, editPreviewInput } from "../schema/edit-input.ts";
import { EditedShape, PlannedEditShape } from "../schema/shapes.ts";
import { type EditedGrid, type EditRequest, edited } from "../start/edited.ts";
import {
  describeChanges,
  type EditInputs,
  type PlannedEdit,
  planEdit,
  plannedEditOut,
} from "../start/planned-edit.ts";
import { protectionTexts, withBound } from "../start/preview.ts";
import type { GridStrategy } from "../state/state.ts";
import { gridViewById, readEditExposure } from "./exposures.ts";

interface Ready {
  readonly strategy: GridStrategy;
  readonly inputs: EditInputs;
  readonly planned: PlannedEdit;
}

/** Prepares a change. Throws AppError if the grid or the requested change does not allow it. */
async function ready(deps: Deps, id: string, request: EditRequest): Promise<Ready> {
  const { strategy } = await gridViewById(deps, id);
  refuseEnding(strategy);
  const inputs = await readForEdit(deps, strategy);
  return { strategy, inputs, planned: planEdit(strategy, edited(strategy, request, inputs), inputs) };
}

function refuseEnding({ id, status, wants, phase, state }: GridStrategy): void {
  const is =
    status === "stopped"
      ? "is stopped"
      : wants === "stop" || state.exit
        ? "is stopping"
        : phase === "starting"
          ? "has not started yet"
          : undefined;
  if (is) throw new AppError("Conflict", `${id} ${is} and cannot be changed; start a new grid`);
}

async function readForEdit(deps: Deps, { id, account, symbol }: GridStrategy): Promise<EditInputs> {
  const venue = venueForChange(deps, account);
  const [market, quote, balances] = await readForChange(venue, () => readEditVenue(venue, symbol));
  const running = await deps.store.strategies({ stopped: false, account });
  const others = running.filter(({ strategy }) => strategy.id !== id);
  const kept = await readKept(deps, others, { market, balances });
  const killed = await deps.store.killed();
  const all = await deps.store.unsettledOrders(account);
  const orders = all.filter((order) => order.symbol === symbol);
  return { market, quote, balances, kept, killed, orders };
}

const readEditVenue = async (venue: Venue, symbol: GridStrategy["symbol"]) =>
  [await venue.market(symbol), await venue.ticker(symbol), await venue.balances()] as const;

const EDITS = { access: "token", failure: "Exchange error" } as const;

const previewEdit = operation({
  ...EDITS,
  name: "preview_grid_edit",
  summary: "Show what a change of a running grid would cancel, place and cost",
  effect: "read",
  http: { route: "POST /strategy/grid/:id/preview", from: "body" },
  input: editPreviewInput,
  output: PlannedEditShape,
  async run(deps, { id, ...request }) {
    const { strategy, planned, inputs } = await ready(deps, id, request);
    return plannedEditOut(strategy, planned, inputs);
  },
});

const editGrid = operation({
  ...EDITS,
  name: "edit_grid",
  summary: "Change range, levels, size or stop prices of a running grid",
  effect: "trade",
  http: { route: "PATCH /strategy/grid/:id", from: "body" },
  cli: {
    path: "grid edit",
    positional: ["id"],
    steps: true,
    flags: {
      lowerPrice: "lower",
      upperPrice: "upper",
      gridLevels: "levels",
      orderSize: "size",
      stopLossPrice: "stop-loss",
      takeProfitPrice: "take-profit",
    },
    examples: [
      "edgemaker grid edit grid-kraken-BTC-USDT-1767225600000 --lower 55000 --upper 65000",
      "edgemaker grid edit grid-kraken-BTC-USDT-1767225600000 --stop-loss 50000",
    ],
  },
  input: editInput,
  output: EditedShape,
  async prepare(deps, { id, planHash, ...request }, call) {
    const { strategy, planned, inputs } = await ready(deps, id, request);
    checkHolds(planned.shown, planHash);
    const exposure = lazy(() => readEditExposure(deps, strategy, planned, inputs));
    return {
      preview: async () => previewOfEdit(strategy, planned, inputs),
      exposure,
      strategies: [id],
      async act(isLimited: boolean) {
        const { bound: _, ...free } = planned.edited.config;
        const config = isLimited ? withBound(await exposure(), free, strategy.state.ledger) : free;
        return editByHand(deps, strategy, { ...planned.edited, config }, byOf(call));
      },
    };
  },
});

async function editByHand(deps: Deps, strategy: GridStrategy, made: EditedGrid, by: ActorAndRequest) {
  const { id } = strategy;
  const { config, warnings } = made;
  const changes = describeChanges(made);
  const description = `change requested: ${changes.map(({ field, from, to }) => `${field} ${from} to ${to}`).join(", ")}`;
  const isStored = await deps.store.setEdit(id, { config, after: strategy.edits ?? 0, description }, by);
  if (!isStored) throw noLongerHolds();
  const message = await editPasses(deps, strategy);
  const { strategy: now } = await gridViewById(deps, id);
  const isMade = pendingEdit(now) === undefined && now.state.rebuild === null;
  return {
    success: true,
    id,
    status: now.status,
    phase: now.phase,
    made: isMade,
    message: `${id} ${describeMade(now, isMade)}${message}`,
    changes,
    warnings: [...warnings],
  };
}

const describeMade = ({ wants, lastError }: GridStrategy, made: boolean): string => {
  if (made) return "is changed";
  if (wants === "pause") return "is paused: it changes when it is resumed";
  return `changes with its next passes${lastError === null ? "" : ` (${lastError})`}`;
};

/** Usual number of passes of a change: cancels, a check of their result, and the new orders. */
const PASSES = 3;

async function editPasses(deps: Deps, { id, account }: GridStrategy): Promise<string> {
  const venue = deps.venueOf(parseAccountKey(account));
  if (!venue) return "";
  for (let at = 0; at < PASSES; at++) {
    const { outcome, message } = await runPassNow(deps, venue);
    if (outcome === "failed") return `; its pass failed (${message}) and is tried again`;
    if (outcome === "busy") return "; the next pass applies it";
    const { strategy } = await gridViewById(deps, id);
    if (strategy.wants !== "run" || strategy.phase === "active") break;
  }
  return "";
}

function previewOfEdit(strategy: GridStrategy, planned: PlannedEdit, inputs: EditInputs): Preview {
  const { quote } = splitPair(strategy.symbol);
  const { cancelled, orders, changes, maxQuoteUsed, worstCase, warnings, realized, investment } =
    plannedEditOut(strategy, planned, inputs);
  return {
    what: `change ${strategy.id}: ${changes.map(({ field, from, to }) => `${field} from ${from} to ${to}`).join(", ")}; ${countWithVerb(cancelled, "order")} canceled and ${orders.length} placed`,
    cost: `${investment.quote} ${quote} in buys; the change sells nothing, ${text(planned.free)} ${quote} are free for it, and the realized ${realized} ${quote} stay`,
    worstCase: `up to ${maxQuoteUsed} ${quote} become base and lose value with it; ${worstCase.map(({ price, loss }) => `${loss} ${quote} at ${price}`).join(", ")}`,
    limits: [
      ...protectionTexts(planned.edited.before, planned.edited.config, quote),
      ...warnings.map(({ message }) => message),
      ...(inputs.killed ? ["the kill switch is on: nothing is placed until it is turned off"] : []),
    ],
    holds: { planHash: planHashOf(planned.shown) },
  };
}

export const editOperations: readonly Operation[] = [previewEdit, editGrid];
