/** Formats events and fills as news. */

import { plainText } from "../kernel/plain-text.ts";
import { type AccountKey, parseAccountKey } from "../model/account.ts";
import type { EventKind } from "../model/events.ts";
import { levelOf, type News, type ReportableEvent, type ReportableFill } from "../model/news.ts";
import { calledBy } from "../model/strategy.ts";

/** Returns the news of an event; undefined if it sends no alert. */
export function eventNews({
  account,
  strategy,
  name = null,
  at,
  kind,
  message,
}: ReportableEvent): News | undefined {
  const level = levelOf(kind, message);
  if (level === undefined) return undefined;
  const who = strategy ? calledBy({ id: strategy, name }) : accountPlace(account);
  const text = plainText(`${who}${who === "" ? "" : ": "}${NEWS_WORDS[kind] ?? ""}${message}`, 300);
  return { key: `${kind} ${who} ${withoutIds(message)}`, level, text, at };
}

const NEWS_WORDS: Partial<Record<EventKind, string>> = {
  started: "started on ",
  wants: "asked to ",
  lost: "order lost, ",
  rejected: "order refused, ",
  adopted: "order adopted, ",
  made_way: "made way, ",
  unreadable: "unreadable, ",
  error: "error, ",
  kill: "kill switch: ",
  limits: "limits: ",
  token: "API token ",
};
// Each order has a different id, but the news is the same.
const withoutIds = (message: string): string => message.replaceAll(/\b(em[0-9a-z]{16}|\d+)\b/g, "#");

/** Names an account's exchange; empty without an account. */
const accountPlace = (account: AccountKey): string => {
  const { exchange, kind } = parseAccountKey(account);
  return kind === "dry" ? `${exchange} (paper trading)` : exchange;
};

export const fillNews = ({
  account,
  strategy,
  name = null,
  symbol,
  side,
  amount,
  notional,
  at,
}: ReportableFill): News => ({
  key: `fill ${strategy ?? account} ${symbol} ${side}`,
  level: "info",
  text: `${strategy ? calledBy({ id: strategy, name }) : `${accountPlace(account)}, manual order`}: ${side === "buy" ? "bought" : "sold"}`,
  at,
  fill: { symbol, amount, notional },
});
