import { type Decimal, mul, ZERO } from "../../../kernel/decimal.ts";
import { VenueError } from "../../../kernel/errors.ts";
import { type Pair, splitPair } from "../../../kernel/pair.ts";
import type { AccountKey, Balance } from "../../../model/account.ts";
import type { VenueOrder } from "../../../ports/venue.ts";
import type { ExchangeLink } from "./exchange-link.ts";

interface Reads {
  balances(): Promise<readonly Balance[]>;
  openOrders(symbol: Pair): Promise<readonly VenueOrder[]>;
}

/** Part of an order's cost that can be locked for its fee. */
const FEE_SHARE = 50n;
const MOST_PAIRS = 20;

/**
 * Returns open orders of all pairs for an exchange that lists only one pair per request: pairs that were traded here,
 * and pairs whose base is locked. If locked balances stay unexplained, there is an order on an unknown pair; then it
 * throws, because an incomplete list is worse than none.
 */
export async function openOnEveryPair(
  { keeping, catalog, quirks }: ExchangeLink,
  account: AccountKey,
  reads: Reads,
): Promise<readonly VenueOrder[]> {
  const balances = await reads.balances();
  const found = new Map<Pair, readonly VenueOrder[]>();
  const listOn = async (symbols: readonly Pair[]) => {
    for (const symbol of symbols) if (!found.has(symbol)) found.set(symbol, await reads.openOrders(symbol));
  };
  const lacking = () => unexplained(balances, [...found.values()].flat());
  await listOn(await keeping.traded.symbols(account));
  if (lacking().length > 0) {
    const pairs = [...(await catalog.names()).values()];
    for (const asset of lacking())
      await listOn(pairs.filter((pair) => splitPair(pair).base === asset).slice(0, MOST_PAIRS));
  }
  const [asset] = lacking();
  if (asset !== undefined)
    throw new VenueError(
      "refused",
      `${quirks.name} lists open orders of one pair at a time, and ${asset} is locked in orders on a pair that edgemaker never traded; name the pair`,
    );
  return [...found.values()].flat();
}

function unexplained(balances: readonly Balance[], orders: readonly VenueOrder[]): string[] {
  const reserved = new Map<string, Decimal>();
  for (const { symbol, side, price, amount, filled } of orders) {
    const { base, quote } = splitPair(symbol);
    const [asset, part] =
      side === "buy" ? [quote, mul(price, amount - filled, "up")] : [base, amount - filled];
    reserved.set(asset, (reserved.get(asset) ?? ZERO) + part);
  }
  return balances
    .filter(({ asset, used }) => {
      const explained = reserved.get(asset) ?? ZERO;
      return used > explained + explained / FEE_SHARE;
    })
    .map(({ asset }) => asset);
}
