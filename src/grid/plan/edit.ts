import { encode } from "../../kernel/codec.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Event } from "../../model/events.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState, GridStrategy } from "../state/state.ts";
import { obstacle } from "./rebuild.ts";
import type { MarketQuote } from "./watch.ts";

/*
 * A user's change of a running grid. It works like a rebuild of a centered grid: every order of the old levels ends
 * before a new one is placed, in a new generation, and the base keeps its cost.
 */

/** Returns a requested change that no pass has processed yet. */
export const pendingEdit = ({ edit, edits = 0, state }: GridStrategy): GridConfig | undefined =>
  edits > (state.edits ?? 0) && edit ? edit : undefined;

/** Returns whether two configurations have different levels or sizes; then the slots are rebuilt. */
export const movesLadder = (gridConfig: GridConfig, other: GridConfig): boolean =>
  ladderText(gridConfig) !== ladderText(other);

const ladderText = (config: GridConfig): string => {
  const { lowerPrice, upperPrice, gridLevels, orderSize, gridSpacing, spacingModel, centered } = config;
  const range = centered ? null : [lowerPrice, upperPrice, gridLevels, gridSpacing, spacingModel ?? "linear"];
  return encode([range, orderSize, centered]);
};

/** Begins a change: at once if the levels stay, otherwise with the cancels of a rebuild. */
export function beginEdit(strategy: GridStrategy, marketQuote: MarketQuote): GridStrategy {
  const edit = pendingEdit(strategy);
  const { config, state, phase } = strategy;
  if (!edit || state.exit || phase === "starting") return strategy;
  if (!movesLadder(config, edit)) return { ...strategy, config: edit, state: withEditsNoted(strategy) };
  if (state.rebuild) return strategy;
  // Checked before anything is canceled.
  if (obstacle(edit, state, marketQuote) !== undefined)
    return { ...strategy, state: withEditsNoted(strategy) };
  return { ...strategy, state: { ...state, signal: null, rebuild: { generation: state.generation + 1 } } };
}

/** Returns the configuration of the next slots; undefined while none can be built. */
export function configToLay(strategy: GridStrategy, marketQuote: MarketQuote): GridConfig | undefined {
  const { config, state } = strategy;
  const configs = [pendingEdit(strategy), config];
  return configs.find((one) => one && obstacle(one, state, marketQuote) === undefined);
}

/** Marks all requested changes as processed. */
export const withEditsNoted = ({ state, edits = 0 }: Pick<GridStrategy, "state" | "edits">): GridState =>
  edits === (state.edits ?? 0) ? state : { ...state, edits };

/** Events for the result of a change that this pass processed. */
export function editEvents(
  before: GridStrategy,
  after: GridStrategy,
  marketQuote: MarketQuote,
  at: Millis,
): Event[] {
  const edit = pendingEdit(before);
  if (!edit || pendingEdit(after)) return [];
  const why = after.config === edit ? undefined : obstacle(edit, before.state, marketQuote);
  const message =
    after.config === edit
      ? "the change is made"
      : `the change was not made: ${why ?? "another change came first"}`;
  return [{ account: after.account, strategy: after.id, at, kind: "edited", message }];
}
