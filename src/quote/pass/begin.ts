import { type QuoteConfig, type QuoteStrategy, slotsFor } from "../state/state.ts";

/** What a person has asked for and no pass has taken note of. */
export const requestedChange = ({ edit, edits = 0, state }: QuoteStrategy): QuoteConfig | undefined =>
  edits > (state.edits ?? 0) && edit ? edit : undefined;

/** Makes the change that a person has asked for: its orders follow in this very pass, by tolerance. */
export function withChange(strategy: QuoteStrategy): QuoteStrategy {
  const config = requestedChange(strategy);
  if (!config) return strategy;
  const { state, edits = 0 } = strategy;
  const slots = slotsFor(config.rules.levels, state.slots);
  return { ...strategy, config, state: { ...state, edits, slots } };
}
