import type { Millis } from "../../kernel/time.ts";
import type { By } from "../../model/events.ts";
import type { Plan, Preview } from "../../model/proposal.ts";

/** State of a plan: its obstacle to a commit, or `free` without one. */
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
  /** Returns plans that can still be approved or committed, oldest first, after the position `place`. */
  plans(page: {
    readonly limit: number;
    readonly after?: number | undefined;
  }): Promise<readonly (Plan & { readonly place: number })[]>;
  /** Returns false if there is no such undecided plan. */
  decidePlan(id: string, decision: "approved" | "refused", by: By): Promise<boolean>;
  /** Returns whether a commit has consumed the plan. */
  isPlanUsed(id: string): Promise<boolean>;
  /** Returns the state of a plan; `waiting` means it needs approval. Records which request waits for it. */
  planState(
    key: PlanKey,
    request: { readonly needsApproval: boolean; readonly waiter: string },
  ): Promise<PlanState>;
  /** Consumes a plan in one statement: one of two commits gets it, and none without the approval that it needs. */
  consumePlan(key: PlanKey, needsApproval: boolean): Promise<Preview | undefined>;
  /** Refuses the plan of a request that stopped waiting. Returns false if no plan waits under this name. */
  giveUpPlan(waiter: string): Promise<boolean>;
}
