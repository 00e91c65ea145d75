import * as z from "zod";
import {
  budgetOut,
  changedFields,
  feesShape,
  placedFields,
  warnings,
} from "../../engine/operations/shapes.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { AppError, messageOf } from "../../kernel/errors.ts";
import {
  dryBalance,
  exchangeField,
  flag,
  MAX_AMOUNT,
  pairField,
  planHash,
  strategyName,
  zeroOrMoreField,
} from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import type { Pair } from "../../kernel/pair.ts";
import { type Soon, withValue } from "../../kernel/soon.ts";
import type { AnyStrategyDefinition } from "../../ports/definition.ts";

const OwnStrategyOrderShape = lazy(() => z.object({ id: z.string(), ...placedFields() }));

const RefusedOrderShape = lazy(() =>
  z.object({ id: z.string(), reason: z.string(), detail: z.string().optional() }),
);

const runningFields = () => ({
  strategy: z.string().describe("Name of the strategy's definition"),
  exchange: z.string(),
  symbol: z.string(),
  config: z.record(z.string(), z.unknown()),
  budget: budgetOut(),
});

export const PlannedOwnStrategyShape = lazy(() =>
  z.object({
    ...runningFields(),
    orders: z.array(OwnStrategyOrderShape()).describe("Orders to place"),
    refused: z.array(RefusedOrderShape()),
    worstCase: z.string().describe("Maximum loss, as a sentence"),
    fees: feesShape(),
    warnings: warnings(),
    planHash: z.string(),
  }),
);

export const StartedOwnStrategyShape = lazy(() =>
  z.object({
    ...changedFields(),
    ...runningFields(),
    warnings: warnings(),
  }),
);

/** The part of a status that only users' own strategies have. */
export const OwnDetailsShape = lazy(() =>
  z.object({
    kind: z.literal("strategy"),
    config: z.record(z.string(), z.unknown()),
    budget: budgetOut(),
    state: z.unknown().describe("State that its function returned last; null without one"),
    notes: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe("Values by name that its function returned with its last orders"),
  }),
);

/** Fields of every start besides the strategy's config. */
const budgetShape = () => ({
  baseBudget: zeroOrMoreField("Invalid request", MAX_AMOUNT)
    .optional()
    .describe("Base budget; default: all free base"),
  quoteBudget: zeroOrMoreField("Invalid request")
    .optional()
    .describe("Quote budget; default: all free quote"),
  dryRun: flag("dryRun").describe("Paper trading: live prices, simulated fills, no request to your account"),
  dryBalance: dryBalance(),
  name: strategyName(),
});

export const ownStrategyPreviewInput = ({ config }: AnyStrategyDefinition, ids: readonly string[]) =>
  z.object({
    exchange: exchangeField(ids),
    symbol: pairField(),
    ...(config.shape as z.ZodRawShape),
    ...budgetShape(),
  });

export const ownStrategyInput = (definition: AnyStrategyDefinition, ids: readonly string[]) =>
  ownStrategyPreviewInput(definition, ids).extend({ planHash: planHash() });

export interface OwnStrategyRequest {
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

/** Separates the fields of every start from the strategy's config. Throws AppError if the config's rules fail. */
export function ownStrategyRequest(
  definition: AnyStrategyDefinition,
  given: Readonly<Record<string, unknown>>,
): Soon<OwnStrategyRequest> {
  const names = Object.keys(definition.config.shape as object);
  const part = (isConfig: boolean) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name) === isConfig));
  return withValue(checkConfig(definition, part(true)), (checked) => {
    if ("issue" in checked) throw new AppError("Invalid request", checked.issue);
    return { ...(part(false) as Omit<OwnStrategyRequest, "options">), options: checked.options };
  });
}

const CheckedShape = lazy(() =>
  z.union([
    z.strictObject({ issue: z.string() }),
    z.strictObject({ options: z.record(z.string(), z.json()) }),
  ]),
);

type CheckedConfig = z.output<ReturnType<typeof CheckedShape>>;

function checkConfig(definition: AnyStrategyDefinition, options: object): Soon<CheckedConfig> {
  if (!definition.ask) return readConfig(definition, options);
  return definition
    .ask("config", options, { account: "", id: "", resumes: 0 })
    .then((answer) => CheckedShape().parse(answer))
    .catch((error: unknown) => ({ issue: messageOf(error) }));
}

/** Returns a config as its schema reads it, field by field, or why the schema refuses it. */
export function readConfig(
  { config, guard = (work) => work() }: AnyStrategyDefinition,
  given: object,
): CheckedConfig {
  return guard(() => {
    const fields = z.object(config.shape as z.ZodRawShape).safeParse(given);
    const { error } = fields.success ? config.safeParse(fields.data) : fields;
    const [issue] = error?.issues ?? [];
    if (issue) return { issue: `${issue.path.join(".")}: ${issue.message}` };
    return { options: fields.data as Record<string, z.core.util.JSONType> };
  });
}
