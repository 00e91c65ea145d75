import { type Decimal, max, min, sum, ZERO } from "../../kernel/decimal.ts";
import { ageOf, MINUTE } from "../../kernel/time.ts";
import type { Order } from "../../model/order.ts";
import type { StrategyContext } from "../../ports/kind.ts";
import { strangerError } from "../decide/troubles.ts";
import { isHeld } from "../decide/turn.ts";
import { withFirstBase } from "./ledger.ts";
import type { PositionState, PositionStrategy } from "./state.ts";

/** So long a start waits until it is sure which base is nobody's; then it begins with what certainly is. */
const LONGEST_BEGIN = 5 * MINUTE;

/** Gives a starting strategy the base that it may use. Undefined until it is known how much there is. */
export function beginPosition<S extends PositionStrategy>(
  strategy: S,
  live: readonly Order[],
  context: StrategyContext,
): S | undefined {
  const { phase, state, config, startedAt } = strategy;
  if (phase !== "starting") return strategy;
  if (isHeld(strategy, context)) return { ...strategy, lastError: strangerError(context) };
  const { ownBase, now, isSimulated } = context;
  if (ownBase === undefined) return undefined;
  const wanted = max(ZERO, config.budget.base - state.first.base);
  const given = max(min(wanted, max(ZERO, ownBase.least)), provenBase(state, live));
  if (!ownBase.isSure && given < wanted && !isSimulated && ageOf(startedAt, now) < LONGEST_BEGIN)
    return {
      ...strategy,
      lastError: "it starts when the balances show the amount locked by the sells of other strategies",
    };
  return { ...strategy, phase: "placing", status: "running", state: withFirstBase(state, given) };
}

/** Base that it had before its database forgot its start: what it has sold, or offers, beyond what it has bought. */
const provenBase = ({ base }: PositionState, live: readonly Order[]): Decimal =>
  sum(live.filter(({ side }) => side === "sell").map(({ amount, booked }) => amount - booked)) - base;
