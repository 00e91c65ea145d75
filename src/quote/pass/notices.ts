/** Notices about quotes, and events when the notices change. */

import { text } from "../../kernel/decimal.ts";
import { pluralize } from "../../kernel/pluralize.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Event } from "../../model/events.ts";
import type { Side } from "../../model/market.ts";
import type { Notice } from "../../model/strategy.ts";
import type { Defence } from "../defence.ts";
import type { QuoteNotice, QuotePlan } from "../plan.ts";
import type { QuoteStrategy } from "../state/state.ts";

const NOTICE_TEXTS: Readonly<Record<QuoteNotice, string>> = {
  no_reference:
    "no price is reliable, so nothing is quoted; quoting resumes within one pass after a price returns, or set --fixed-price",
  one_sided: "only one side is quoted; the other one has no funds or has reached its limit",
  nothing_quoted: "nothing is quoted; both sides have no funds or have reached their limits",
  outside_depth: "the half-spread is wider than --within, so the orders do not count toward the depth",
};

export function quoteNoticesOf(
  { state, config }: Pick<QuoteStrategy, "state" | "config">,
  { notices, defended }: Pick<QuotePlan, "notices" | "defended">,
  quote: string,
): Notice[] {
  const lost =
    state.lostAt === null
      ? []
      : [{ code: "loss_limit", message: describeLimitLoss(config.maxLoss, quote) } as const];
  const moved = defenceNotices(config.rules.defence, defended);
  const halted = state.halted ? [{ code: "loss_limit", message: state.halted } as const] : [];
  return [
    ...halted,
    ...lost,
    ...moved,
    ...notices.map((code): Notice => ({ code, message: NOTICE_TEXTS[code] })),
  ];
}

function defenceNotices(defence: Defence | undefined, defended: readonly Side[]): Notice[] {
  if (!defence || defended.length === 0) return [];
  const sides = defended.map((side) => (side === "buy" ? "bids" : "asks")).sort((a, b) => (a < b ? 1 : -1));
  const answer =
    defence.ticks === "pause" ? "paused" : `${pluralize(defence.ticks, "tick")} further from the price`;
  const message = `${sides.join(" and ")} are ${answer}: most of their last fills lost money within 10 s; it ends ${defence.passes} ${defence.passes === 1 ? "pass" : "passes"} after the last such fill`;
  return [{ code: "defended", message }];
}

const describeLimitLoss = (most: bigint | undefined, quote: string): string =>
  `its loss exceeds its loss limit${most === undefined ? "" : ` of ${text(most)} ${quote}`}; both sides are canceled. Raise the limit and resume the quotes, or stop them`;

const recoveredText = (had: ReadonlySet<Notice["code"]>): string =>
  had.size === 1 && had.has("defended") ? "no side is defended any longer" : "both sides are quoted again";

/** Events for notices that begin or end; each is written once. The engine writes that a loss limit begins to pause them. */
export function quoteEvents(before: QuoteStrategy, after: QuoteStrategy, at: Millis): Event[] {
  const describe = (kind: Event["kind"], message: string): Event => ({
    account: after.account,
    strategy: after.id,
    at,
    kind,
    message,
  });
  const had = new Set(before.state.notices.map(({ code }) => code));
  const has = new Set(after.state.notices.map(({ code }) => code));
  const begun = after.state.notices
    .filter(({ code, message }) => !had.has(code) && message !== after.state.halted)
    .map(({ code, message }) =>
      describe(code === "no_reference" || code === "loss_limit" ? "error" : "notice", message),
    );
  const isOver = had.size > 0 && has.size === 0;
  return [...begun, ...(isOver ? [describe("recovered", recoveredText(had))] : [])];
}
