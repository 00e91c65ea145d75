import type { Millis } from "../../kernel/time.ts";
import type { By } from "../../model/events.ts";
import type { Plan, Preview } from "../../model/proposal.ts";

/** What blocks a commit; `free` if nothing does. */
export type PlanState = "free" | "waiting" | "refused" | "used" | "expired" | "unknown";

export interface PlanKey {
  readonly id: string;
  /** Digest of caller, tool and parameters. */
  readonly binding: string;
}

export interface PlanStore {
  /** Stores a plan and returns its expiry. Deletes plans that expired a day ago. */
  addPlan(
    plan: PlanKey & Pick<Plan, "actor" | "tool" | "input" | "preview"> & { readonly life: Millis },
  ): Promise<Millis>;
  /** Plans that can still be decided on or committed, oldest first; `place` is what the next page begins after. */
  plans(page: {
    readonly limit: number;
    readonly after?: number | undefined;
  }): Promise<readonly (Plan & { readonly place: number })[]>;
  /** Returns false if there is no such undecided plan. */
  decidePlan(id: string, decision: "approved" | "refused", by: By): Promise<boolean>;
  /** Where a plan stands, `waiting` being for the approval it needs; names the request that waits for it. */
  planState(
    key: PlanKey,
    request: { readonly needsApproval: boolean; readonly waiter: string },
  ): Promise<PlanState>;
  /** Takes what the plan has shown, in one statement: of two commits one gets it, and none without the approval it needs. */
  consumePlan(key: PlanKey, needsApproval: boolean): Promise<Preview | undefined>;
  /** The request that waits has been given up: its plan is refused. False when none waits under this name. */
  giveUpPlan(waiter: string): Promise<boolean>;
}
