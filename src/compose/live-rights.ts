import type { KeptValue, KnownRights, MarketKeeper } from "../adapters/ccxt/client/keeping.ts";
import { messageOf } from "../kernel/errors.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountKey } from "../model/account.ts";
import type { Log } from "../ports/local.ts";
import type { Keys } from "../ports/venue.ts";

interface RightsParts {
  readonly exchanges: readonly string[];
  readonly accountOf: (exchange: string) => AccountKey;
  readonly keysOf: (exchange: string) => Promise<Keys | undefined>;
  /** Reads permissions. Throws if the exchange does not return them. */
  readonly ask: (exchange: string, keys: Keys) => Promise<boolean | undefined>;
  readonly keeper: Pick<MarketKeeper, "rights" | "keepRights">;
  readonly log: Log;
}

export interface KeyRights {
  /**
   * Reads the permissions of every configured key that was not checked within this time, one after another while
   * `mayGoOn`, and logs which keys can withdraw. Returns whether all of them were checked.
   */
  ask(within: Millis, mayGoOn?: () => boolean): Promise<boolean>;
  /** Returns warnings about the configured keys, without any request. */
  warnings(): Promise<readonly string[]>;
}

interface Configured {
  readonly exchange: string;
  readonly keys: Keys;
  /** Stored permissions of these keys. */
  readonly known: KeptValue<KnownRights> | undefined;
}

export const mayWithdrawText = (exchange: string): string =>
  `the keys of ${exchange} can withdraw; create keys that can only read and trade`;

/** Manages permissions of the configured keys, from settings or stored. */
export function keyRightsOf({ exchanges, accountOf, keysOf, ask, keeper, log }: RightsParts): KeyRights {
  async function configured(): Promise<readonly Configured[]> {
    const all = await keeper.rights();
    const found: Configured[] = [];
    for (const exchange of exchanges) {
      // Keys that cannot be decrypted are reported elsewhere, and do not prevent the check of others.
      const keys = await keysOf(exchange).catch(() => undefined);
      const kept = all.get(accountOf(exchange));
      if (keys) found.push({ exchange, keys, known: kept?.value.key === keys.hash ? kept : undefined });
    }
    return found;
  }

  async function describe({ exchange, keys, known }: Configured): Promise<boolean | undefined> {
    try {
      return await ask(exchange, keys);
    } catch (error) {
      log("warn", `${exchange} does not show the permissions of its keys`, {
        exchange,
        reason: messageOf(error),
      });
      return known?.value.mayWithdraw;
    }
  }

  return {
    async ask(within, mayGoOn = () => true) {
      const due = (await configured()).filter(({ known }) => !known || known.age >= within);
      for (const configured of due) {
        if (!mayGoOn()) return false;
        const { exchange, keys } = configured;
        const mayWithdraw = await describe(configured);
        if (mayWithdraw) log("warn", mayWithdrawText(exchange), { exchange });
        await keeper.keepRights(accountOf(exchange), { key: keys.hash, mayWithdraw });
      }
      return true;
    },

    async warnings() {
      const risky = (await configured()).filter(({ known }) => known?.value.mayWithdraw);
      return risky.map(({ exchange }) => mayWithdrawText(exchange));
    },
  };
}
