import { type SQL, sql } from "drizzle-orm";
import { text } from "../../kernel/decimal.ts";
import type { Reach } from "../../model/order.ts";
import { orders } from "./trading-tables.ts";

/*
 * The rules of src/model/order.ts as SQL conditions. Prices are plain decimal text above zero, so they sort by
 * the length of their whole part, and then as text.
 */

const ordered = (price: SQL): SQL => sql`(instr(${price} || '.', '.'), ${price})`;

/** Condition for a row of `orders` that can still trade; states are in the text so that SQLite uses the index. */
export const mayBeMetRow = (): SQL =>
  sql`${orders.settled} = 0 and (${orders.state} in ('pending', 'unknown') or ${orders.timeInForce} <> 'ioc' and ${orders.state} in ('submitted', 'open', 'partially_filled'))`;

/**
 * Condition for a row of `orders` that an order with this limit would fill. Its side is a constant, which an index
 * can find.
 */
export function isMetBy({ side, limit }: Reach): SQL {
  const isOther = sql`${orders.side} = ${side === "buy" ? "sell" : "buy"}`;
  return limit === null ? isOther : sql`${isOther} and ${isPriceMet(sql`${side}`, sql`${text(limit)}`)}`;
}

/** The same for an order whose side and limit are expressions. */
export const isMetWithin = (side: SQL, limit: SQL): SQL =>
  sql`${orders.side} <> ${side} and ${isPriceMet(side, limit)}`;

function isPriceMet(side: SQL, limit: SQL): SQL {
  const [own, theirs] = [ordered(limit), ordered(sql`${orders.price}`)];
  return sql`(${orders.type} = 'market' or case ${side} when 'buy' then ${theirs} <= ${own} else ${theirs} >= ${own} end)`;
}
