import { customType, integer } from "drizzle-orm/sqlite-core";
import { decode, encode } from "../../kernel/codec.ts";
import { type Decimal, decimal, text as plain } from "../../kernel/decimal.ts";
import type { OrderKind } from "../../model/order.ts";

/** Money as plain decimal text. */
export const amountColumn = customType<{ data: Decimal; driverData: string }>({
  dataType: () => "text",
  toDriver: plain,
  fromDriver: decimal,
});

/** A document as JSON whose Decimals are text. */
export const doc = <T>(name: string) =>
  customType<{ data: T; driverData: string }>({
    dataType: () => "text",
    toDriver: encode,
    fromDriver: decode<T>,
  })(name);

/** Slots' orders were once called grid orders; that word is in every database and its indexes. */
export const orderKind = customType<{ data: OrderKind; driverData: string }>({
  dataType: () => "text",
  toDriver: (kind) => (kind === "slot" ? "grid" : kind),
  fromDriver: (kind) => (kind === "grid" ? "slot" : (kind as OrderKind)),
});

export const flagColumn = (name: string) => integer(name, { mode: "boolean" });
