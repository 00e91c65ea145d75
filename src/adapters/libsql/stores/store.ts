import type { Store } from "../../../ports/stores/store.ts";
import type { Context } from "../../../storage/client/context.ts";
import { readiness } from "../../../storage/client/readiness.ts";
import { auditStore } from "./audit-store.ts";
import { clockLead } from "./clock-lead.ts";
import { handOrderStore } from "./hand-order-store.ts";
import { historyStore } from "./history-store.ts";
import { limitStore } from "./limit-store.ts";
import { planStore } from "./plan-store.ts";
import { requestStore } from "./request-store.ts";
import { serverStore } from "./server-store.ts";
import { stepStore } from "./step-store.ts";
import { strategyStore } from "./strategy-store.ts";
import { tokenStore } from "./token-store.ts";

/** Creates the store on libSQL: a file, or a server over HTTP. The database must be migrated. */
export const createStore = (context: Context): Store => ({
  ...stepStore(context),
  ...strategyStore(context),
  ...historyStore(context),
  ...handOrderStore(context),
  ...requestStore(context),
  ...serverStore(context),
  ...tokenStore(context),
  ...planStore(context),
  ...auditStore(context),
  ...limitStore(context),
  ready: readiness(context),
  clockLead: clockLead(context),
  lockedFor: context.client.keptWaiting,
  trouble: () => context.client.trouble() ?? context.version?.newer,
});
