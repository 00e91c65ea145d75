import { DAY, MINUTE, type Millis } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { Keys } from "../../../ports/venue.ts";
import type { Ccxt } from "../client/ccxt.ts";
import type { AccountKind, KeptValue } from "../client/keeping.ts";
import type { ExchangeLink } from "./exchange-link.ts";

const MOST_KINDS_KEPT = 1000;
/** An account kind that was read this recently is not checked again. */
const SURE: Millis = 10 * MINUTE;

/**
 * Reads which of an exchange's two kinds of account a key belongs to: once a day, stored with the account. ccxt would
 * take a failed request for a result. Another key of the same account is checked again.
 */
export function accountKindReader(
  link: ExchangeLink,
  account: AccountKey,
  keys: () => Promise<Keys | undefined>,
) {
  const { keeping, local, quirks } = link;
  const keyOf = async () => (await keys())?.hash ?? "";

  const remember = (key: string, kind: AccountKind, age: Millis): AccountKind => {
    if (link.kinds.size >= MOST_KINDS_KEPT) link.kinds.clear();
    link.kinds.set(account, { key, kind, at: local.monotonic() - age });
    return kind;
  };

  /** Returns the stored kind of this key, of any age. */
  async function kept(): Promise<KeptValue<AccountKind> | undefined> {
    const key = await keyOf();
    const found = link.kinds.get(account);
    if (found?.key === key) return { value: found.kind, age: local.monotonic() - found.at };
    const row = await keeping.markets.kind(account);
    if (row?.value.key !== key) return undefined;
    remember(key, row.value.kind, row.age);
    return { value: row.value.kind, age: row.age };
  }

  return {
    /** Returns the kind if it was read within a day, otherwise from `ask`; if that fails, the stored one. */
    async settled(ask: () => Promise<AccountKind>): Promise<AccountKind> {
      const before = await kept();
      if (before && before.age < DAY) return before.value;
      try {
        return await ask();
      } catch (error) {
        if (!before) throw error;
        return remember(await keyOf(), before.value, DAY - SURE);
      }
    },

    async ask(exchange: Ccxt): Promise<AccountKind> {
      const kind = (await quirks.kinds?.ask(exchange)) ?? "classic";
      const key = await keyOf();
      await keeping.markets.keepKind(account, { key, kind });
      return remember(key, kind, 0);
    },

    /**
     * Requests another check, because missing funds can be in an account of the other kind. Repeated at most every
     * few minutes.
     */
    async doubt(): Promise<void> {
      const found = link.kinds.get(account);
      if (!found || local.monotonic() - found.at < SURE) return;
      link.kinds.delete(account);
      await keeping.markets.keepKind(account, { key: "", kind: found.kind });
    },
  };
}
