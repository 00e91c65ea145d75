/** Conditions of a running grid at the time of the request, and what the user can do about them. */

import { text } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { RefusalReason } from "../../model/strategy.ts";
import { gridKind } from "../kind.ts";
import { rangeNow } from "../state/range.ts";
import { madeOnce, type Timeless } from "./made-once.ts";

export interface Condition {
  readonly code:
    | "key_refused"
    | "key_missing"
    | "exchange_unavailable"
    | "paused"
    | "out_of_range"
    | "funds_missing"
    | "base_missing";
  readonly message: string;
}

export const conditionsOf = madeOnce((view): readonly Condition[] => {
  if (view.strategy.status === "stopped") return [];
  return [...accountCondition(view), ...pauseOf(view), ...outsideRange(view), ...lacksOf(view)];
});

/** Returns why the account's passes fail, if the exchange causes it. */
function accountCondition({ accountError, memory, strategy }: Timeless): Condition[] {
  if (accountError === null) return [];
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
          message: `${exchange} does not respond normally (${accountError}): ${stands}; edgemaker retries at least every five minutes, and you need to do nothing`,
        },
      ];
    default:
      return [];
  }
}

const pauseOf = ({ strategy: { id, phase, wants } }: Timeless): Condition[] =>
  phase === "paused" || wants === "pause"
    ? [
        {
          code: "paused",
          message: `it is paused: open orders can fill, and nothing new is placed until \`edgemaker grid resume ${id}\``,
        },
      ]
    : [];

function outsideRange({ strategy, memory }: Timeless): Condition[] {
  const { id, symbol, status, phase, state } = strategy;
  const mid = memory.marks[symbol]?.mid;
  if (status !== "running" || phase !== "active" || mid === undefined) return [];
  const range = rangeNow(state);
  if (range === undefined || gridKind.isInRange(state, mid)) return [];
  const [where, what] =
    mid > range.upper ? ["above", "it has sold all its base"] : ["below", "it holds the base that it bought"];
  return [
    {
      code: "out_of_range",
      message: `the price ${text(mid)} is ${where} its range ${text(range.lower)} – ${text(range.upper)}: ${what}, and earns nothing until the price returns; \`edgemaker grid edit ${id} --lower … --upper …\` moves it`,
    },
  ];
}

function lacksOf({ strategy }: Timeless): Condition[] {
  const { id, symbol, account, state } = strategy;
  const { base, quote } = splitPair(symbol);
  const { exchange } = parseAccountKey(account);
  const slots = (reason: RefusalReason): string => {
    const count = state.refused.filter((refusal) => refusal.reason === reason).length;
    return count === 0 ? "" : count === 1 ? "1 slot waits" : `${count} slots wait`;
  };
  const [quoteless, baseless] = [slots("no_quote"), slots("inventory_missing")];
  return [
    ...(quoteless === ""
      ? []
      : [
          {
            code: "funds_missing" as const,
            message: `${quoteless} for ${quote}: deposit it at ${exchange}, stop another grid, or make this one smaller with \`edgemaker grid edit ${id} --budget …\``,
          },
        ]),
    ...(baseless === ""
      ? []
      : [
          {
            code: "base_missing" as const,
            message: `${baseless} for ${base} that the grid bought but that is not free in the account; deposit it at ${exchange}, or stop the grid with \`edgemaker grid stop ${id}\``,
          },
        ]),
  ];
}
