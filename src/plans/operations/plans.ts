import * as z from "zod";
import { AppError } from "../../kernel/errors.ts";
import { countField, idField, rowsField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { byOf } from "../../model/events.ts";
import type { Plan } from "../../model/proposal.ts";
import { type Operation, operation } from "../../operation.ts";

export const PlanShape = lazy(() =>
  z.object({
    id: z.string(),
    tool: z.string(),
    by: z.string(),
    what: z.string(),
    cost: z.string(),
    worstCase: z.string(),
    limits: z.array(z.string()),
    approved: z.boolean(),
    expiresAt: z.number(),
  }),
);
const DecidedShape = lazy(() => z.object({ success: z.literal(true), id: z.string(), message: z.string() }));

const decides = { effect: "admin", access: "token", failure: "Internal error" } as const;
const input = () => z.object({ id: idField("Invalid request").describe("Plan id") });

/** Operations with which a person approves or refuses agents' plans. */
export const planOperations: readonly Operation[] = [
  operation({
    ...decides,
    name: "list_plans",
    summary: "List plans of agents",
    http: { route: "GET /plans", from: "query" },
    cli: { path: "plans list", examples: ["edgemaker plans list"] },
    input: () =>
      z.object({
        limit: rowsField(),
        after: countField("Invalid request", { least: 0, most: Number.MAX_SAFE_INTEGER })
          .optional()
          .describe("`next` of the previous page"),
      }),
    output: () => z.object({ plans: z.array(PlanShape()), count: z.number(), next: z.number().nullable() }),
    async run({ store }, page) {
      const plans = await store.plans(page);
      const next = plans.length < page.limit ? null : (plans.at(-1)?.place ?? null);
      return { plans: plans.map(planOut), count: plans.length, next };
    },
  }),
  operation({
    ...decides,
    name: "approve_plan",
    summary: "Approve a plan of an agent",
    http: { route: "POST /plans/:id/approve", from: "body" },
    cli: { path: "plans approve", positional: ["id"], examples: ["edgemaker plans approve plan_4f0c"] },
    input,
    output: DecidedShape,
    run: async ({ store }, { id }, call) =>
      decided(id, await store.decidePlan(id, "approved", byOf(call)), "is approved"),
  }),
  operation({
    ...decides,
    name: "refuse_plan",
    summary: "Refuse a plan of an agent",
    http: { route: "POST /plans/:id/refuse", from: "body" },
    cli: { path: "plans refuse", positional: ["id"], examples: ["edgemaker plans refuse plan_4f0c"] },
    input,
    output: DecidedShape,
    run: async ({ store }, { id }, call) =>
      decided(id, await store.decidePlan(id, "refused", byOf(call)), "is refused: it can never be committed"),
  }),
];

function decided(id: string, isDone: boolean, what: string) {
  if (!isDone) throw new AppError("Not found", `there is no open plan ${id}; it could have expired`);
  return { success: true as const, id, message: `${id} ${what}` };
}

const planOut = ({
  id,
  tool,
  actor,
  preview,
  decision,
  expiresAt,
}: Plan): z.input<ReturnType<typeof PlanShape>> => ({
  id,
  tool,
  by: actor,
  what: preview.what,
  cost: preview.cost,
  worstCase: preview.worstCase,
  limits: [...preview.limits],
  approved: decision === "approved",
  expiresAt,
});
