/** Actions of a person on a simulated venue outside the API. */

import { type Decimal, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Books } from "./booked-venue.ts";

const PERSON_TRIES = 50;

/** Adds to a balance, or withdraws from the free part with a negative amount. Returns the new total. */
export async function deposit(
  books: Books,
  { exchange, asset, amount }: { exchange: string; asset: string; amount: Decimal },
): Promise<Decimal> {
  for (let attempt = 0; attempt < PERSON_TRIES; attempt++) {
    const { books: now } = await books.load(exchange);
    const holding = now.holdings[asset] ?? { total: ZERO, used: ZERO };
    const total = holding.total + amount;
    if (total < holding.used)
      throw new AppError("Invalid amount", `only ${text(holding.total - holding.used)} ${asset} is free`);
    const change = {
      settledAt: now.settledAt,
      orders: [],
      fills: [],
      holdings: { [asset]: { ...holding, total } },
    };
    if (await books.commit(exchange, now.version, change)) return total;
  }
  throw new AppError("Conflict", "the simulated exchange is too busy: try again");
}
