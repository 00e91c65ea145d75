import type { Books } from "../../src/adapters/sandbox/booked-venue.ts";
import { movementsOf } from "../../src/engine/reconcile/reconcile.ts";
import { decimal, div, mul, ZERO } from "../../src/kernel/decimal.ts";
import { splitPair } from "../../src/kernel/pair.ts";
import type {
  BookChange,
  BookedBalance,
  BookedFill,
  BookedOrder,
  VenueBooks,
} from "../../src/market/matching.ts";
import type { Fee } from "../../src/model/order.ts";

/** The venue's own token, and what it counts it for in quote: not what the token's market says. */
export const TOKEN = "TOK";
const WORTH = decimal("97");
/** Below it the token is not enough for another order's fees. */
const MIN_TOKEN_BALANCE = decimal("1");

/** Books of a venue that takes an order's fees in its own token while the account holds enough of it. */
export const feesInToken = (books: Books): Books => ({
  ...books,
  async commit(exchange, version, change, sendBy) {
    const { books: before } = await books.load(exchange);
    // A deposit has no orders.
    const isTrading = before.version === version && change.orders.length > 0;
    const isDone = await books.commit(
      exchange,
      version,
      isTrading ? charged(change, before) : change,
      sendBy,
    );
    // Who settles goes on with what it has written: told that it has not, it reads what is there.
    const isSettling = change.fills.length > 0 && change.orders.every(({ id }) => isIn(before, id));
    return isDone && !isSettling;
  },
});

const isIn = ({ open }: VenueBooks, id: string): boolean => open.some((order) => order.id === id);

// What a caller commits may follow from what it has committed just before, without these fees: all is counted anew.
function charged(change: BookChange, { open, holdings }: VenueBooks): BookChange {
  const hasEnough = (holdings[TOKEN]?.total ?? ZERO) >= MIN_TOKEN_BALANCE;
  const paid = new Map(open.map(({ id, fee }) => [id, fee]));
  const isCharged = (id: string): boolean => {
    const fee = paid.get(id);
    return fee && fee.amount > ZERO ? fee.asset === TOKEN : hasEnough;
  };
  const fills = change.fills.map((fill) =>
    isCharged(fill.orderId) ? { ...fill, fee: { asset: TOKEN, amount: inToken(fill) } } : fill,
  );
  const feeOf = (order: BookedOrder): Fee => {
    const fees = fills.filter(({ orderId }) => orderId === order.id).map(({ fee }) => fee);
    const before = paid.get(order.id) ?? { ...order.fee, amount: ZERO };
    const { asset } = fees[0] ?? before;
    return { asset, amount: fees.reduce((sum, { amount }) => sum + amount, before.amount) };
  };
  return {
    ...change,
    fills,
    orders: change.orders.map((order) => ({ ...order, fee: feeOf(order) })),
    holdings: totals(change, holdings, fills),
  };
}

function totals(change: BookChange, before: VenueBooks["holdings"], fills: readonly BookedFill[]) {
  const after: Record<string, BookedBalance> = {};
  for (const asset of [...Object.keys(change.holdings), TOKEN]) {
    const used = change.holdings[asset]?.used ?? before[asset]?.used ?? ZERO;
    after[asset] = { total: before[asset]?.total ?? ZERO, used };
  }
  for (const { symbol, side, price, amount, fee } of fills) {
    const notional = mul(price, amount, "half");
    for (const moved of movementsOf(symbol, { side, amount, notional, fees: [fee] })) {
      const balance = after[moved.asset] as BookedBalance;
      after[moved.asset] = { ...balance, total: balance.total + moved.amount };
    }
  }
  return after;
}

function inToken({ fee, price, symbol }: BookedFill) {
  const inQuote = fee.asset === splitPair(symbol).base ? mul(fee.amount, price, "up") : fee.amount;
  return div(inQuote, WORTH, "up");
}
