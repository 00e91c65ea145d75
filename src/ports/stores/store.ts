/**
 * Everything that must survive the process. Writes throw StoreError. Every write has a key, so a repeated write has
 * no effect.
 */

import type { Millis } from "../../kernel/time.ts";
import type { AuditStore } from "./audit-store.ts";
import type { HandOrderStore } from "./hand-order-store.ts";
import type { HistoryStore } from "./history-store.ts";
import type { LimitStore } from "./limit-store.ts";
import type { PlanStore } from "./plan-store.ts";
import type { RequestStore } from "./request-store.ts";
import type { ServerStore } from "./server-store.ts";
import type { StepStore } from "./step-store.ts";
import type { StrategyStore } from "./strategy-store.ts";
import type { TokenStore } from "./token-store.ts";

export interface Store
  extends StepStore,
    StrategyStore,
    HistoryStore,
    HandOrderStore,
    RequestStore,
    ServerStore,
    TokenStore,
    PlanStore,
    AuditStore,
    LimitStore {
  /** Throws `unavailable` with the reason if the database cannot be reached or written, or has an unknown version. */
  ready(): Promise<void>;
  /** Returns known problems of the database without a request. */
  trouble(): string | undefined;
  /** Returns how far stored times lie in the future, because the clock was ahead when they were written. */
  clockLead(): Promise<Millis>;
  /** How long another process has blocked writes of this one; 0 if none does. */
  lockedFor(): Millis;
}
