import * as z from "zod";
import { idField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { type Millis, secondText } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import { type Order, ordersOf } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { ConfiguredExchanges } from "../../ports/exchanges.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import { changedFields } from "./shapes.ts";

export const READS_STRATEGIES = {
  effect: "read",
  access: "token",
  failure: "Internal error",
  mcp: { isSelfContained: true },
} as const;

/** Returns a stored time in the account's market time, which a sandbox can let run faster. */
export const marketTimeOf = <At extends Millis | null>(
  { marketTime }: ConfiguredExchanges,
  { account }: Strategy,
  at: At,
) => (at === null ? at : marketTime(parseAccountKey(account), at));

export const notConfiguredHere = (account: string): string =>
  `this process is not configured for ${account}: another process has to run it`;

/** Why the passes of a strategy's account fail, if the exchange causes it. */
export interface AccountNotice {
  readonly code: "key_refused" | "key_missing" | "exchange_unavailable";
  readonly message: string;
}

/** Returns why the account's passes fail, if the exchange causes it, and when the next one begins. */
export function accountNotices({
  accountError,
  retryAt,
  memory,
  strategy,
}: Omit<StrategyView, "now">): AccountNotice[] {
  if (accountError === null || strategy.status === "stopped") return [];
  const { exchange } = parseAccountKey(strategy.account);
  const stands = "open orders stay, and fills are booked later";
  switch (memory.failed) {
    case "invalid_credentials":
      return [
        {
          code: "key_refused",
          message: `${exchange} refuses its key (${accountError}): ${stands}; create a new key there`,
        },
      ];
    case "missing_credentials":
      return [
        {
          code: "key_missing",
          message: `there is no key for ${exchange} here: ${stands}; store one with \`edgemaker exchange add ${exchange}\``,
        },
      ];
    case "unavailable":
    case "rate_limited":
      return [
        {
          code: "exchange_unavailable",
          message: `${exchange} does not respond normally (${accountError}): ${stands}; edgemaker waits until ${secondText(retryAt)} and tries again, and you need to do nothing`,
        },
      ];
    default:
      return [];
  }
}

const OPEN: readonly Order["state"][] = ["submitted", "open", "partially_filled"];

/** Returns a strategy's open orders with the amounts that are left. */
export const openOrdersOf = (orders: readonly Order[], id: string): readonly Order[] =>
  ordersOf(orders, id)
    .filter(({ state }) => OPEN.includes(state))
    .map((order) => ({ ...order, amount: order.amount - order.filled }));

export const phaseOut = ({ phase, wants, status }: Strategy): string =>
  wants === "stop" && status !== "stopped" ? "stopping" : phase;

export const ChangedShape = lazy(() => z.object({ success: z.boolean(), ...changedFields() }));

export const changedOut = (
  { strategy: { id, status, phase } }: StrategyView,
  message: string,
  success = true,
) => ({ success, id, status, phase, message });

export const idInput = lazy(() => z.object({ id: idField("Invalid request").describe("Strategy id") }));
