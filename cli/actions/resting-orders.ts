import { setTimeout as sleep } from "node:timers/promises";
import { pluralize } from "../../src/kernel/plain-text.ts";
import { KINDS } from "../../src/kinds.ts";
import { parseAccountKey } from "../../src/model/account.ts";
import { calledBy } from "../../src/model/strategy.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { whereFlags } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";

/** Maximum wait when a server stops. */
export const MAX_STOP_READ_MS = 2000;

/** Lists the orders that stay open after the last server stops, and how to cancel them; empty if there are none. */
export async function restingOrders({ store }: Pick<Deps, "store">, values: Values): Promise<string> {
  const flags = whereFlags(values);
  const views = await Promise.race([
    store.strategies({ stopped: false }).catch(() => undefined),
    // Not awaited, because the rest would keep the process alive.
    sleep(MAX_STOP_READ_MS, undefined, { ref: false }),
  ]);
  if (!views)
    return `Open orders could not be read. They stay open; run edgemaker grid status${flags} later.\n`;
  const open = views.filter(({ openOrders }) => openOrders > 0);
  if (open.length === 0) return "";
  const lines = open.map(({ strategy, openOrders }) => {
    const { exchange, kind } = parseAccountKey(strategy.account);
    return `  ${calledBy(strategy)}: ${pluralize(openOrders, "order")} on ${exchange}${kind === "dry" ? " (paper trading)" : ""}`;
  });
  const kinds = new Set(open.map(({ strategy }) => strategy.kind));
  const groups = KINDS.filter(({ name }) => kinds.has(name)).map(({ group }) => group);
  const stops = groups.sort().map((group) => `edgemaker ${group} stop <id>${flags}`);
  return [
    "These orders stay open and can fill. edgemaker does not react to fills until a server runs again:",
    ...lines,
    `To cancel them: ${[...stops, `or edgemaker panic${flags} for all.`].join(", ")}`,
    "",
  ].join("\n");
}
