import { strangerError } from "../../engine/decide/troubles.ts";
import { isHeld } from "../../engine/decide/turn.ts";
import { type Decimal, max, min, sum, ZERO } from "../../kernel/decimal.ts";
import { MINUTE } from "../../kernel/time.ts";
import type { Order } from "../../model/order.ts";
import type { StrategyContext } from "../../ports/kind.ts";
import { withFirstBase } from "../ledger/position.ts";
import { type QuoteConfig, type QuoteState, type QuoteStrategy, slotsFor } from "../state/state.ts";

/** So long a start waits until it is sure which base is nobody's; then it begins with what certainly is. */
const LONGEST_BEGIN = 5 * MINUTE;

/** Gives a starting strategy the base that it may quote with. Undefined until it is known how much there is. */
export function beginQuoting(
  strategy: QuoteStrategy,
  live: readonly Order[],
  context: StrategyContext,
): QuoteStrategy | undefined {
  const { phase, state, config, startedAt } = strategy;
  if (phase !== "starting") return strategy;
  if (isHeld(strategy, context)) return { ...strategy, lastError: strangerError(context) };
  const { ownBase, now, isSimulated } = context;
  if (ownBase === undefined) return undefined;
  const wanted = max(ZERO, config.budget.base - state.first.base);
  const given = max(min(wanted, max(ZERO, ownBase.least)), provenBase(state, live));
  if (!ownBase.isSure && given < wanted && !isSimulated && now - startedAt < LONGEST_BEGIN)
    return {
      ...strategy,
      lastError: "it begins once the balances show what the other strategies' sells have locked",
    };
  return { ...strategy, phase: "placing", status: "running", state: withFirstBase(state, given) };
}

/** Base that it had before its database forgot its start: what it has sold, or offers, beyond what it has bought. */
const provenBase = ({ base }: QuoteState, live: readonly Order[]): Decimal =>
  sum(live.filter(({ side }) => side === "sell").map(({ amount, booked }) => amount - booked)) - base;

/** What a person has asked for and no pass has taken note of. */
export const askedChange = ({ edit, edits = 0, state }: QuoteStrategy): QuoteConfig | undefined =>
  edits > (state.edits ?? 0) && edit ? edit : undefined;

/** Makes the change that a person has asked for: its orders follow in this very pass, by tolerance. */
export function withChange(strategy: QuoteStrategy): QuoteStrategy {
  const config = askedChange(strategy);
  if (!config) return strategy;
  const { state, edits = 0 } = strategy;
  const slots = slotsFor(config.rules.levels, state.slots);
  return { ...strategy, config, state: { ...state, edits, slots } };
}
