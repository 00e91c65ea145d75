import * as z from "zod";
import { type Decimal, ONE } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { exchangeField, MOST_AMOUNT, pairField, zeroOrMoreField } from "../../kernel/fields.ts";
import type { Pair } from "../../kernel/pair.ts";
import { dryBalance, flag, planHash, strategyName } from "../../kernel/start-fields.ts";
import type { AnyStrategyDefinition } from "../../ports/definition.ts";

/** Fields of every start besides the strategy's config. */
const budgetShape = () => ({
  baseBudget: zeroOrMoreField("Invalid request", MOST_AMOUNT)
    .optional()
    .describe("Base budget; default: all free base"),
  quoteBudget: zeroOrMoreField("Invalid request")
    .optional()
    .describe("Quote budget; default: all free quote"),
  dryRun: flag("dryRun").describe("Paper trading: live prices, simulated fills, no request to your account"),
  dryBalance: dryBalance(),
  name: strategyName(),
});

const placeShape = (ids: readonly string[]) => ({ exchange: exchangeField(ids), symbol: pairField() });

export const declaredPreviewInput = ({ config }: AnyStrategyDefinition, ids: readonly string[]) =>
  z.object({ ...placeShape(ids), ...(config.shape as z.ZodRawShape), ...budgetShape() });

export const declaredInput = (definition: AnyStrategyDefinition, ids: readonly string[]) =>
  declaredPreviewInput(definition, ids).extend({ planHash: planHash() });

export interface DeclaredRequest {
  readonly exchange: string;
  readonly symbol: Pair;
  readonly baseBudget?: Decimal | undefined;
  readonly quoteBudget?: Decimal | undefined;
  readonly dryRun?: boolean | undefined;
  readonly dryBalance?: Readonly<Record<string, Decimal>> | undefined;
  readonly name?: string | undefined;
  /** The strategy's own config as the user set it. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Separates the fields of every start from the strategy's config. Throws AppError if rules over several fields fail. */
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

/** Maximum price change since a preview, as a share of the price, for a start at the shown price. */
export const LARGEST_SHIFT: Decimal = ONE / 100n;
