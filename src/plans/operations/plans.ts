import * as z from "zod";
import { AppError } from "../../kernel/errors.ts";
import { countField, idField, rowsField, wordField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { byOf } from "../../model/events.ts";
import type { Plan } from "../../model/proposal.ts";
import { type Call, type Operation, operation } from "../../operation.ts";
import type { StoreDeps } from "../../ports/kind.ts";

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

const decides = { effect: "admin", access: "token", failure: "Internal error" } as const;
const DECISIONS = ["approve", "refuse"] as const;

/** Operations with which a person approves or refuses agents' plans. */
export const planOperations: readonly Operation[] = [
  operation({
    ...decides,
    name: "list_plans",
    summary: "List plans of agents",
    http: { route: "GET /plans", from: "query" },
    cli: { path: "plans list", view: plansView, examples: ["edgemaker plans list"] },
    input: () =>
      z.object({
        limit: rowsField(),
        after: countField("Invalid request", { min: 0, max: Number.MAX_SAFE_INTEGER })
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
    name: "decide_plan",
    summary: "Approve or refuse a plan of an agent",
    http: { route: "POST /plans/:id", from: "body" },
    cli: {
      path: "plans",
      words: {
        "plans approve": { summary: "Approve a plan of an agent", input: { decision: "approve" } },
        "plans refuse": { summary: "Refuse a plan of an agent", input: { decision: "refuse" } },
      },
      positional: ["id"],
      examples: ["edgemaker plans approve plan_4f0c", "edgemaker plans refuse plan_4f0c"],
    },
    input: () =>
      z.object({
        id: idField("Invalid request").describe("Plan id"),
        decision: wordField("Invalid request: decision", DECISIONS).describe(DECISIONS.join(" or ")),
      }),
    output: () => z.object({ success: z.literal(true), id: z.string(), message: z.string() }),
    run: decideOpenPlan,
  }),
];

const AFTER: Readonly<Record<(typeof DECISIONS)[number], string>> = {
  approve:
    "a call that waits executes it now; otherwise the agent must repeat its call, while the market is near the plan",
  refuse: "it can never be committed",
};

async function decideOpenPlan(
  { store }: StoreDeps,
  { id, decision }: { readonly id: string; readonly decision: (typeof DECISIONS)[number] },
  call: Call,
) {
  const decided = `${decision}d` as const;
  if (await store.decidePlan(id, decided, byOf(call))) {
    const message = `${id} is ${decided}: ${AFTER[decision]}`;
    return { success: true as const, id, message };
  }
  if (await store.isPlanUsed(id))
    throw new AppError(
      "Conflict",
      `${id} was already used by a call, which has executed it or tried to; check open orders and strategies, and cancel or stop what you do not want`,
    );
  throw new AppError(
    "Not found",
    `there is no open plan ${id}; it does not exist, has expired or was refused (\`edgemaker plans list\` shows open plans)`,
  );
}

/** Formats the list with the remarks of a plan apart, because they contain commas. */
function plansView(answer: unknown) {
  const { plans, ...rest } = answer as { readonly plans: readonly z.output<ReturnType<typeof PlanShape>>[] };
  return { plans: plans.map((plan) => ({ ...plan, limits: plan.limits.join("; ") })), ...rest };
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
