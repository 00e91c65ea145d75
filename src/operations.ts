import { accountOperations } from "./account/operations.ts";
import { auditOperations } from "./audit/operations.ts";
import { compareOperations } from "./compare/operations.ts";
import { limitsOperations } from "./control/limits-operations.ts";
import { dexOperations } from "./dex/operations.ts";
import { killOperations } from "./grid/kill-operations.ts";
import { gridOperations } from "./grid/operations.ts";
import { marketOperations } from "./market/operations.ts";
import type { Operation } from "./operation.ts";
import { orderOperations } from "./orders/operations.ts";
import { planOperations } from "./plans/operations.ts";

/** Every use case, in the order of the specification. `ids` are the configured exchanges. */
export const createOperations = (ids: readonly string[]): readonly Operation[] => [
  ...marketOperations(ids),
  ...accountOperations(ids),
  ...orderOperations(ids),
  ...gridOperations(ids),
  ...dexOperations(),
  ...compareOperations(ids),
  ...killOperations,
  ...limitsOperations,
  ...planOperations,
  ...auditOperations,
];
