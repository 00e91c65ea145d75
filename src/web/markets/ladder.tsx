import { digitsOf, inPercent, number } from "../format.ts";
import type { BookAnswer } from "../types.ts";

/** The order book: asks above, bids below, each with a bar for the cumulative depth. */
export function BookLadder({ book, digits }: { book: BookAnswer; digits: number }) {
  const most = Math.max(book.bids.at(-1)?.total ?? 0, book.asks.at(-1)?.total ?? 0);
  const sizes = digitsOf([...book.bids, ...book.asks].map(({ amount }) => amount));
  const row = (side: "up" | "down", { price, amount, total }: BookAnswer["bids"][number]) => (
    <tr key={`${side} ${price}`}>
      <td class={`number ${side}`} data-name="Price">
        {number(price, digits)}
      </td>
      <td class="number" data-name="Amount">
        {number(amount, sizes)}
      </td>
      <td class="number depth" data-name="Total">
        <meter class={side} min={0} max={most} value={total} aria-hidden="true" />
        <span>{number(total, sizes)}</span>
      </td>
    </tr>
  );
  return (
    <table class="data ladder">
      <caption class="unseen">Order book, asks from the highest, then bids from the highest</caption>
      <thead>
        <tr>
          <th scope="col" class="number">
            Price
          </th>
          <th scope="col" class="number">
            Amount
          </th>
          <th scope="col" class="number">
            In all
          </th>
        </tr>
      </thead>
      <tbody>{book.asks.toReversed().map((level) => row("down", level))}</tbody>
      <tbody>
        <tr class="mid">
          <th scope="row" colSpan={3}>
            {number(book.midPrice, digits)}, spread {inPercent(book.spreadPercent, 3)}
          </th>
        </tr>
        {book.bids.map((level) => row("up", level))}
      </tbody>
    </table>
  );
}
