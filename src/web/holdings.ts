import { useLoad } from "./live.ts";
import type { BalancesAnswer, Exchanges } from "./types.ts";

/** Offered where the account holds no other asset. */
export const COMMON_PAIR = "BTC/USDT";

export interface Holdings {
  /** Pairs of the account's assets, the most valuable first; undefined while the balances load. */
  readonly pairs: readonly string[] | undefined;
  /** Returns the amount of an asset that no strategy needs, as plans count it; undefined if it is unknown. */
  readonly free: (asset: string) => number | undefined;
  /** Whether the server has no keys of the exchange, so that only paper trading is possible. */
  readonly isKeyless: boolean;
}

/** Loads what an account holds, to fill in forms that fit it. Without keys it has no pairs, and is not requested. */
export function useHoldings(exchange: string | undefined, exchanges: Exchanges | undefined): Holdings {
  const found = exchanges?.exchanges.find(({ id }) => id === exchange);
  const { quotes = [], configured } = found ?? {};
  const [quote] = quotes;
  const route = quote === undefined || !configured ? undefined : "GET /balance";
  const { data, error } = useLoad<BalancesAnswer>(route, { exchange, quote });
  const unreserved = useLoad<BalancesAnswer>(route, { exchange, withdrawable: true });
  const valued = (data?.balances ?? [])
    .filter(({ asset, worth }) => !quotes.includes(asset) && Number(worth ?? 0) > 0)
    .sort((a, b) => Number(b.worth) - Number(a.worth));
  const pairs = valued.map(({ asset }) => `${asset}/${quote}`);
  return {
    pairs: data ? pairs : error || configured === false ? [] : undefined,
    isKeyless: configured === false,
    free: (asset) => {
      const balance = unreserved.data?.balances.find((one) => one.asset === asset);
      return unreserved.data && Number(balance?.canWithdraw ?? 0);
    },
  };
}
