import { type QuoteConfig, type QuoteStrategy, slotsFor } from "../state/state.ts";

/** Returns a requested change that no pass has processed yet. */
export const requestedChange = ({ edit, edits = 0, state }: QuoteStrategy): QuoteConfig | undefined =>
  edits > (state.edits ?? 0) && edit ? edit : undefined;

/** Applies a requested change; this pass then moves orders that exceed the tolerance. */
export function withChange(strategy: QuoteStrategy): QuoteStrategy {
  const config = requestedChange(strategy);
  if (!config) return strategy;
  const { state, edits = 0 } = strategy;
  const slots = slotsFor(config.rules.levels, state.slots);
  return { ...strategy, config, state: { ...state, edits, slots } };
}
