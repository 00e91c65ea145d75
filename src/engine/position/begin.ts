import { type Decimal, max, min, sum, ZERO } from "../../kernel/decimal.ts";
import { ageOf, MINUTE } from "../../kernel/time.ts";
import type { Order } from "../../model/order.ts";
import type { StrategyContext } from "../../ports/kind.ts";
import { strangerError } from "../decide/troubles.ts";
import { isRecovering } from "../decide/turn.ts";
import { withFirstBase } from "./ledger.ts";
import type { PositionState, PositionStrategy } from "./state.ts";

/** Maximum wait of a start until it is certain which base is unused; then it uses the certain part. */
const LONGEST_BEGIN = 5 * MINUTE;

/** Assigns base to a starting strategy. Returns undefined until the available amount is known. */
export function beginPosition<S extends PositionStrategy>(
  strategy: S,
  live: readonly Order[],
  context: StrategyContext,
): S | undefined {
  const { phase, state, config, startedAt } = strategy;
  if (phase !== "starting") return strategy;
  if (isRecovering(strategy, context)) return { ...strategy, lastError: strangerError(context) };
  const { ownBase, now, isSimulated, observed } = context;
  if (ownBase === undefined) return undefined;
  const at = isSimulated ? (observed.quote?.at ?? startedAt) : now;
  const missing = max(ZERO, config.budget.base - state.first.base);
  const given = max(min(missing, max(ZERO, ownBase.least)), provenBase(state, live));
  if (!ownBase.isSure && given < missing && ageOf(startedAt, at) < LONGEST_BEGIN)
    return {
      ...strategy,
      lastError: "it starts when the balances show the open and recent orders of the account",
    };
  return { ...strategy, phase: "placing", status: "running", state: withFirstBase(state, given) };
}

/** Returns the base from before the database lost its start: what it has sold or offers beyond what it has bought. */
const provenBase = ({ base }: PositionState, live: readonly Order[]): Decimal =>
  sum(live.filter(({ side }) => side === "sell").map(({ amount, booked }) => amount - booked)) - base;
