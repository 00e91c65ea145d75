/** What has to outlive the process. Writes throw StoreError; every write is keyed, so none acts twice. */

import type { Millis } from "../../kernel/time.ts";
import type { AuditStore } from "./audit-store.ts";
import type { HandOrderStore } from "./hand-order-store.ts";
import type { HistoryStore } from "./history-store.ts";
import type { LimitStore } from "./limit-store.ts";
import type { PlanStore } from "./plan-store.ts";
import type { RequestStore } from "./request-store.ts";
import type { StepStore } from "./step-store.ts";
import type { StrategyStore } from "./strategy-store.ts";
import type { TokenStore } from "./token-store.ts";

export interface Store
  extends StepStore,
    StrategyStore,
    HistoryStore,
    HandOrderStore,
    RequestStore,
    TokenStore,
    PlanStore,
    AuditStore,
    LimitStore {
  /** Throws `unavailable`, with the reason, when the database cannot be reached or written or is not what this program knows. */
  ready(): Promise<void>;
  /** What is known to be wrong with the database, without asking it. */
  trouble(): string | undefined;
  /** How long another process has kept this one from writing; 0 while nothing does. */
  lockedFor(): Millis;
}
