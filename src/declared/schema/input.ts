import * as z from "zod";
import { type Decimal, ONE } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { decimalField, exchangeField, idField, MOST_AMOUNT, pairField } from "../../kernel/fields.ts";
import type { Pair } from "../../kernel/pair.ts";
import { dryBalance, flag, planHash } from "../../kernel/start-fields.ts";
import { stopFields } from "../../kernel/stop-flags.ts";
import type { AnyStrategyDefinition } from "../../ports/definition.ts";

/** What every start takes beside the config of its strategy. */
const budgetShape = () => ({
  baseBudget: decimalField("Invalid request", MOST_AMOUNT)
    .optional()
    .describe("Base budget; default: all free base"),
  quoteBudget: decimalField("Invalid request").optional().describe("Quote budget; default: all free quote"),
  dryRun: flag("dryRun").describe("Paper trading: live prices, simulated fills, no request to your account"),
  dryBalance: dryBalance(),
});

const placeShape = (ids: readonly string[]) => ({ exchange: exchangeField(ids), symbol: pairField() });

export const declaredPreviewInput = ({ config }: AnyStrategyDefinition, ids: readonly string[]) =>
  z.object({ ...placeShape(ids), ...(config.shape as z.ZodRawShape), ...budgetShape() });

export const declaredInput = (definition: AnyStrategyDefinition, ids: readonly string[]) =>
  declaredPreviewInput(definition, ids).extend({ planHash: planHash() });

export const strategyIdInput = () => z.object({ id: idField("Invalid request").describe("Strategy id") });

export const strategyStopInput = () => strategyIdInput().extend(stopFields());

export interface DeclaredRequest {
  readonly exchange: string;
  readonly symbol: Pair;
  readonly baseBudget?: Decimal | undefined;
  readonly quoteBudget?: Decimal | undefined;
  readonly dryRun?: boolean | undefined;
  readonly dryBalance?: Readonly<Record<string, Decimal>> | undefined;
  /** The strategy's own config, as it was given. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Parts what every start takes from the config of the strategy. Throws AppError where rules over several fields do not hold. */
export function declaredRequest(
  { config }: AnyStrategyDefinition,
  given: Readonly<Record<string, unknown>>,
): DeclaredRequest {
  const names = Object.keys(config.shape as object);
  const part = (isConfig: boolean) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name) === isConfig));
  const options = part(true);
  const { error } = config.safeParse(options);
  const [issue] = error?.issues ?? [];
  if (issue) throw new AppError("Invalid request", `${issue.path.join(".")}: ${issue.message}`);
  return { ...(part(false) as Omit<DeclaredRequest, "options">), options };
}

/** A price that was shown holds while the market is no further from it than this, as a share of it. */
export const LARGEST_SHIFT: Decimal = ONE / 100n;
