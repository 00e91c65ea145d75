import { BudgetSpent, VenueError } from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { DAY, MINUTE } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { FeeRates } from "../client/keeping.ts";
import type { ExchangeLink } from "./exchange-link.ts";
import { readFeeRates } from "./reading.ts";
import type { PrivateSession } from "./session.ts";

function raise(error: Error): never {
  throw error;
}

/** Time until a failed request is retried. */
const FAILED_FEES_PAUSE = 10 * MINUTE;
const MOST_FEES_KEPT = 1000;

/**
 * Reads this account's fees once a day. Returns undefined without keys, or if the exchange does not return them; the
 * listed rates are then the highest possible ones.
 */
export function accountFeeReader(link: ExchangeLink, account: AccountKey, session: PrivateSession) {
  const { keeping, log, local, quirks } = link;
  return async function feesFor(symbol: Pair): Promise<FeeRates | undefined> {
    if (!(await session.keys())) return undefined;
    const key = `${account} ${symbol}`;
    const known = link.fees.get(key);
    if (known && local.monotonic() < known.until) return known.rates;
    const kept = await keeping.markets.fees(account, symbol);
    if (kept && kept.age < DAY) return remember(key, kept.value, DAY - kept.age);
    try {
      const rates = readFeeRates(
        await session.read("fee", symbol, (exchange) => exchange.fetchTradingFee(symbol)),
      );
      await keeping.markets.keepFees(account, symbol, rates);
      return remember(key, rates, DAY);
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      if (error instanceof BudgetSpent) return kept?.value ?? raise(error);
      log("warn", `${quirks.name} does not show this account's fees`, { symbol, reason: error.message });
      return remember(key, kept?.value, FAILED_FEES_PAUSE);
    }
  };

  function remember(key: string, rates: FeeRates | undefined, span: number): FeeRates | undefined {
    if (link.fees.size >= MOST_FEES_KEPT) link.fees.clear();
    link.fees.set(key, { rates, until: local.monotonic() + span });
    return rates;
  }
}
