/** Finds what strategies wait for. Each wait is a notice in the status, and is reported once, in an event. */

import { type Decimal, text, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { countWithVerb } from "../../kernel/plain-text.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import { type AccountKey, exchangeName } from "../../model/account.ts";
import type { Event } from "../../model/events.ts";
import type { Wait, WaitCode } from "../../model/memory.ts";
import type { Order } from "../../model/order.ts";
import { describeRefusal } from "../../model/refusal-text.ts";
import type { Refusal, Strategy } from "../../model/strategy.ts";
import type { Snapshot } from "../../ports/stores/pass-store.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import { isLasting, type StrategyPass } from "./intents.ts";

/** A wait that a pass found. It is reported when it has lasted `after`; default: at once. */
export interface FoundWait extends Pick<Wait, "code" | "strategy" | "message"> {
  readonly after?: Millis;
}

/** Returns the waits after a pass, and an event for each one to report. Waits that are not found again are over. */
export function waitsAfter(
  before: readonly Wait[] | undefined,
  found: readonly FoundWait[],
  { account, now }: { readonly account: AccountKey; readonly now: Millis },
): { readonly waits: readonly Wait[] | undefined; readonly events: readonly Event[] } {
  const events: Event[] = [];
  const knownWaits = new Map(before?.map((wait) => [`${wait.code} ${wait.strategy}`, wait]));
  const waits = found.map(({ code, strategy, message, after = 0 }): Wait => {
    const known = knownWaits.get(`${code} ${strategy}`);
    const since = Math.min(known?.since ?? now, now);
    const reports = !known?.isReported && now - since >= after;
    if (reports) events.push({ account, strategy, at: now, kind: "waits", message: `${code}: ${message}` });
    if (known && !reports && known.since === since && known.message === message) return known;
    return { code, strategy, message, since, isReported: reports || known?.isReported === true };
  });
  const isSame = before?.length === waits.length && before.every((wait, at) => wait === waits[at]);
  return { waits: isSame || (!before && waits.length === 0) ? before : waits, events };
}

/** Returns the notices of a running strategy's waits, and of its account's. */
export const waitNotices = ({
  strategy: { id, status },
  memory,
}: Pick<StrategyView, "strategy" | "memory">): readonly {
  readonly code: WaitCode;
  readonly message: string;
}[] =>
  status === "stopped"
    ? []
    : (memory.waits ?? [])
        .filter(({ strategy }) => strategy === null || strategy === id)
        .map(({ code, message }) => ({ code, message }));

/** Returns the waits after a pass that the rate limit postponed: those of before, and that of each exit. */
export function waitsWhilePostponed(
  { memory: { waits: before }, lease }: Snapshot,
  exits: readonly Pick<Strategy, "id">[],
  wait: Millis,
): ReturnType<typeof waitsAfter> {
  const ids = new Set<string | null>(exits.map(({ id }) => id));
  const isExit = ({ code, strategy }: FoundWait) => code === "exit" && ids.has(strategy);
  const message = `its exit waits ${Math.ceil(wait / SECOND)} s for the rate limit of ${exchangeName(lease.account)}`;
  const found = exits.map(({ id }): FoundWait => ({ code: "exit", strategy: id, message }));
  return waitsAfter(before, [...(before ?? []).filter((one) => !isExit(one)), ...found], lease);
}

/** Limits that can end by themselves are reported after this time. */
const MIN_LIMITED_MS: Millis = 5 * MINUTE;
/** Orders of the account that an exit has to wait for usually end in one pass. */
const MIN_EXIT_WAIT_MS: Millis = 15 * SECOND;

/** Returns what a strategy waits for after its part of a pass. `live` are its unsettled orders. */
export function waitsOf(
  strategy: Strategy,
  live: readonly Order[],
  context: StrategyPass,
  before: readonly Wait[] = [],
): FoundWait[] {
  const { id, status, wants, state, lastError } = strategy;
  if (status === "stopped" || status === "error" || wants === "pause") return [];
  const found = (code: WaitCode, message: string | undefined, after: Millis): FoundWait[] =>
    message === undefined ? [] : [{ code, strategy: id, message, after }];
  if (state.exit) {
    const goesOn = before.some((wait) => wait.strategy === id && wait.code === "exit" && wait.isReported);
    if (lastError === null) return found("exit", goesOn ? "its exit goes on" : undefined, 0);
    return found("exit", `its exit waits: ${lastError}`, MIN_EXIT_WAIT_MS);
  }
  if (wants === "stop") return [];
  const { readLag } = context.timing;
  const limited = limitWait(state.refused);
  const lacks = lacksOf(strategy, live, context, (code) =>
    before.some((wait) => wait.strategy === id && wait.code === code),
  );
  return [
    ...found("market_closed", closedMessage(strategy, context), 0),
    ...found("limit", limited?.message, limited?.after ?? 0),
    ...found("funds_missing", lacks.quote, readLag),
    ...found("base_missing", lacks.base, readLag),
  ];
}

const closedMessage = (
  { state, symbol, account }: Strategy,
  { observed: { market } }: StrategyPass,
): string | undefined =>
  state.closedSince === undefined || market?.active
    ? undefined
    : `${exchangeName(account)} has closed ${symbol}; nothing is placed until it trades again`;

/** A loss limit has its own event, and a gap between two orders only sets their pace. */
const isLimitRefusal = ({ slot, reason }: Refusal): boolean =>
  slot >= 0 && reason.startsWith("limit_") && reason !== "limit_loss" && reason !== "limit_gap";

function limitWait(refused: readonly Refusal[]): Pick<FoundWait, "message" | "after"> | undefined {
  const limited = refused.filter(isLimitRefusal);
  const first = limited.find(({ reason }) => isLasting(reason)) ?? limited[0];
  if (!first) return undefined;
  const message = `${slotsText(limited)} for a limit: ${describeRefusal(first)}`;
  return { message, after: isLasting(first.reason) ? 0 : MIN_LIMITED_MS };
}

const slotsText = ({ length }: readonly Refusal[]): string => countWithVerb(length, "slot", "waits", "wait");

/** Describes what the account lacks; without balances it is unknown, so an earlier wait goes on. */
function lacksOf(
  strategy: Strategy,
  live: readonly Order[],
  { kind, funds, observed: { market } }: StrategyPass,
  hasWaited: (code: WaitCode) => boolean,
): Partial<Record<"quote" | "base", string>> {
  const { symbol, account, state } = strategy;
  if (!state.refused.some(({ reason }) => reason === "no_quote" || reason === "inventory_missing")) return {};
  const { base, quote } = splitPair(symbol);
  const needs = market && funds && kind.reserve(strategy, live, market);
  const waiting = (code: WaitCode, asset: string, need: Decimal | undefined): readonly Refusal[] => {
    const reason = code === "funds_missing" ? "no_quote" : "inventory_missing";
    const isLacking = need === undefined ? hasWaited(code) : need > (funds?.[asset] ?? ZERO);
    return isLacking ? state.refused.filter(({ slot, reason: why }) => slot >= 0 && why === reason) : [];
  };
  const [quoteless, baseless] = [
    waiting("funds_missing", quote, needs?.quote),
    waiting("base_missing", base, needs?.base),
  ];
  const where = exchangeName(account);
  const lack = needs?.base === undefined ? "" : `${text(needs.base - (funds?.[base] ?? ZERO))} `;
  return {
    ...(quoteless.length > 0 && {
      quote: `${slotsText(quoteless)} for ${quote}: deposit it at ${where}, stop another strategy, or give this one a smaller budget`,
    }),
    ...(baseless.length > 0 && {
      base: `${slotsText(baseless)} for ${lack}${base} that the strategy bought but that is not free in the account: buy it or deposit it at ${where}, or stop the strategy`,
    }),
  };
}
