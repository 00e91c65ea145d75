/** Gate's two kinds of account, and what it tells of keys (gate.com/docs/developers/apiv4, read 2026-11-21). */
import { text } from "../../src/kernel/decimal.ts";
import type { Account } from "./account.ts";
import { type Member, ok, type PrivateAsk, type Reply } from "./dialect.ts";

/** GET /unified/unified_mode: classic, multi_currency, portfolio or single_currency. */
export const modeOf = ({ unified }: Account): string => (unified ? "multi_currency" : "classic");

/** Of a unified account nothing is left here. */
export const spotAccounts = ({ holdings, unified }: Account) =>
  unified
    ? []
    : [...holdings].map(([currency, { total, used }]) => ({
        currency,
        available: text(total - used),
        locked: text(used),
        update_id: 1,
      }));

/** GET /unified/accounts, which tells its mode too. */
export const unifiedAccount = (account: Account) => ({
  mode: modeOf(account),
  user_id: 10000 + account.number,
  refresh_time: 0,
  locked: false,
  balances: Object.fromEntries(
    (account.unified ? [...account.holdings] : []).map(([currency, { total, used }]) => [
      currency,
      {
        available: text(total - used),
        freeze: text(used),
        borrowed: "0",
        negative_liab: "0",
        futures_pos_liab: "0",
        equity: text(total),
        total_freeze: "0",
        total_liab: "0",
        spot_in_use: "0",
      },
    ]),
  ),
  total: "0",
  borrowed: "0",
  unified_account_total: "0",
  leverage: "2",
});

/** Orders and trades are looked for in the account that is named; without one, in all of them (SpotApi.md). */
export function isElsewhere({ request, member }: PrivateAsk): boolean {
  const named = request.query.get("account");
  return named !== null && named !== (member.account.unified ? "unified" : "spot");
}

/** How tests tell such a key. */
const isOfSub = (key: string): boolean => key.includes("of-a-sub-account");

const HIDDEN = "*****";
const SHOWN = 12;

/** All keys of the main account, each by the beginning of its text alone; a sub-account's is not among them. */
export function mainKeys(member: Member): Reply {
  const { may, key } = member.keys;
  const row = (name: string, shown: string, wallet: boolean) => ({
    state: 1,
    mode: 1,
    name,
    user_id: 10000 + member.account.number,
    perms: [
      { name: "spot", read_only: !may.trade },
      { name: "account", read_only: true },
      ...(wallet ? [{ name: "wallet", read_only: false }] : []),
    ],
    ip_whitelist: [],
    currency_pairs: [],
    key: shown + HIDDEN,
    created_at: 1_753_030_929,
    update_at: 1_756_300_567,
    last_access: 1_753_030_929,
  });
  const another = row("another", "c5dcfbf1f3a7", !may.withdraw);
  return ok(isOfSub(key) ? [another] : [another, row("own", key.slice(0, SHOWN), may.withdraw)]);
}
