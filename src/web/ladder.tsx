import { type Digits, digitsOf, inPercent, number } from "./format.ts";
import type { BookAnswer } from "./types.ts";

/** An own open order. */
interface OwnOrder {
  readonly side: "buy" | "sell";
  readonly price: string;
  readonly amount: string;
}

/** A price of a side; `amount` and `total` are unknown for an own order beyond the read book. */
interface LadderRow {
  readonly price: number;
  readonly amount?: number;
  readonly total?: number;
  readonly own?: number;
}

/** Returns the prices of a side, the nearest first, with the own orders among them. */
function sideRows(levels: BookAnswer["bids"], own: readonly OwnOrder[], way: 1 | -1): LadderRow[] {
  const rows = new Map<number, LadderRow>(levels.map((level) => [level.price, level]));
  for (const { price, amount } of own) {
    const at = Number(price);
    const before = rows.get(at) ?? { price: at };
    rows.set(at, { ...before, own: (before.own ?? 0) + Number(amount) });
  }
  return [...rows.values()].sort((a, b) => way * (a.price - b.price));
}

/** Levels of each side that are shown; a plan of an order reads more. */
const SHOWN_LEVELS = 20;

/** The order book: asks above, bids below, each with a bar for the cumulative depth, and the own orders among them. */
export function BookLadder({
  book,
  digits,
  own,
  choose,
}: {
  book: BookAnswer;
  digits: Digits;
  own?: readonly OwnOrder[];
  /** Takes the price of a row; absent where nobody can trade. */
  choose?: ((price: string) => void) | undefined;
}) {
  const [bids, asks] = [book.bids.slice(0, SHOWN_LEVELS), book.asks.slice(0, SHOWN_LEVELS)];
  const most = Math.max(bids.at(-1)?.total ?? 0, asks.at(-1)?.total ?? 0);
  const sizes = digitsOf([...bids, ...asks].map(({ amount }) => amount));
  const ownOf = (side: "buy" | "sell") => (own ?? []).filter((order) => order.side === side);
  const row = (side: "up" | "down", { price, amount, total, own: mine }: LadderRow) => (
    <tr
      key={`${side} ${price}`}
      class={mine === undefined ? "" : "mine"}
      onClick={() => choose?.(String(price))}
    >
      <td class={`number ${side}`} data-name="Price">
        {choose ? (
          <button type="button" class="plain" title="Use this price" onClick={() => choose(String(price))}>
            {number(price, digits)}
          </button>
        ) : (
          number(price, digits)
        )}
      </td>
      <td class="number" data-name="Amount">
        {amount === undefined ? "" : number(amount, sizes)}
      </td>
      {own ? (
        <td class="number" data-name="Own">
          {mine === undefined ? "" : number(mine, sizes)}
        </td>
      ) : null}
      <td class="number depth" data-name="Total">
        {total === undefined ? null : (
          <>
            <meter class={side} min={0} max={most} value={total} aria-hidden="true" />
            <span>{number(total, sizes)}</span>
          </>
        )}
      </td>
    </tr>
  );
  return (
    <table class={own ? "data ladder mixed" : "data ladder"}>
      <caption class="unseen">Order book, asks from the highest, then bids from the highest</caption>
      <thead>
        <tr>
          {["Price", "Amount", ...(own ? ["Own"] : []), "In all"].map((name) => (
            <th key={name} scope="col" class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sideRows(asks, ownOf("sell"), 1)
          .toReversed()
          .map((level) => row("down", level))}
      </tbody>
      <tbody>
        <tr class="mid">
          <th scope="row" colSpan={own ? 4 : 3}>
            {number(book.midPrice, digits)}, spread {inPercent(book.spreadPercent, 3)}
          </th>
        </tr>
        {sideRows(bids, ownOf("buy"), -1).map((level) => row("up", level))}
      </tbody>
    </table>
  );
}
