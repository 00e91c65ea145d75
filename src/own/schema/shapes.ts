import * as z from "zod";
import { endingEdits, endingFields } from "../../engine/operations/ending-fields.ts";
import { budgetOut } from "../../engine/operations/shapes.ts";
import { AppError, messageOf } from "../../kernel/errors.ts";
import { lazy } from "../../kernel/lazy.ts";
import { type Soon, withValue } from "../../kernel/soon.ts";
import type { AnyStrategyDefinition } from "../../ports/definition.ts";

/** The part of a plan that only users' own strategies have. */
export const OwnPlanShape = lazy(() =>
  z.object({ kind: z.literal("strategy"), config: z.record(z.string(), z.unknown()) }),
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

/** Returns the fields of a definition's config; its relations are checked where its code runs. */
export const ownConfig = ({ config }: AnyStrategyDefinition) =>
  z.object({ ...(config.shape as z.ZodRawShape), ...endingFields() });

/** Returns the fields of a definition's config without defaults: an absent one stays as it is. */
export const ownEditConfig = ({ config }: AnyStrategyDefinition) =>
  z.object({
    ...Object.fromEntries(
      Object.entries(config.shape as Readonly<Record<string, z.ZodType>>).map(([name, field]) => [
        name,
        withoutDefault(field)
          .optional()
          .describe(field.description ?? ""),
      ]),
    ),
    ...endingEdits(),
  });

/** Returns a field that is not filled in when it is absent. */
export function withoutDefault(field: z.ZodType): z.ZodType {
  const { def } = field._zod as unknown as {
    readonly def: { readonly type: string; readonly innerType?: z.ZodType };
  };
  return def.innerType && ["default", "prefault", "optional"].includes(def.type)
    ? withoutDefault(def.innerType)
    : field;
}

/** Returns a config with the definition's defaults. Throws AppError if the config's rules fail. */
export const checkedOptions = (
  definition: AnyStrategyDefinition,
  given: object,
): Soon<Readonly<Record<string, unknown>>> =>
  withValue(checkConfig(definition, given), (checked) => {
    if ("issue" in checked) throw new AppError("Invalid request", checked.issue);
    return checked.options;
  });

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
