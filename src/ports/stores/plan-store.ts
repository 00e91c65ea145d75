import type { Millis } from "../../kernel/time.ts";
import type { By } from "../../model/events.ts";
import type { Plan, Preview } from "../../model/proposal.ts";

/** What stands in the way of a commit; `free` when nothing does. */
export type PlanState = "free" | "waiting" | "refused" | "used" | "expired" | "unknown";

export interface PlanKey {
  readonly id: string;
  /** Digest of whose it is, for which tool and with which parameters. */
  readonly binding: string;
}

export interface PlanStore {
  /** Returns when it expires. What expired a day ago is forgotten. */
  addPlan(
    plan: PlanKey & Pick<Plan, "actor" | "tool" | "input" | "preview"> & { readonly life: Millis },
  ): Promise<Millis>;
  /** Plans that can still be decided on or committed, oldest first; `place` is what the next page begins after. */
  plans(page: {
    readonly limit: number;
    readonly after?: number | undefined;
  }): Promise<readonly (Plan & { readonly place: number })[]>;
  /** False when there is no such plan to decide on. */
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
