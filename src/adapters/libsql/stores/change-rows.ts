import { and, between, eq, isNull, lt, notExists } from "drizzle-orm";
import type { Pair } from "../../../kernel/pair.ts";
import { DAY, type Millis } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { Order } from "../../../model/order.ts";
import { MINUTES_A_DAY, type OfferedMinute } from "../../../model/samples/minute.ts";
import type {
  Changes,
  FillMids,
  HorizonMid,
  Lease,
  StrategyUpdate,
} from "../../../ports/stores/step-store.ts";
import { type Context, type Statement, statement } from "../../../storage/client/context.ts";
import { wishUnchanged } from "../../../storage/client/fence.ts";
import { liquidityMinutes, liquidityProofs } from "../../../storage/tables/liquidity-tables.ts";
import { fillMids } from "../../../storage/tables/quality-tables.ts";
import { accounts, cursors, fills, orders, strategies } from "../../../storage/tables/tables.ts";
import { insertIntents, updateOrder } from "./order-rows.ts";

export function changeStatements(context: Context, lease: Lease, changes: Changes): Statement[] {
  const { db } = context;
  const { strategy, memory } = changes;
  const written = [
    ...changes.fills.map((fill) => db.insert(fills).values(fill)),
    ...(strategy ? [updateStrategy(context, strategy)] : []),
    ...Object.entries(changes.cursors).map(([symbol, { at, ahead }]) => {
      const set = { at, aheadFrom: ahead?.from ?? null, aheadTo: ahead?.to ?? null };
      return db
        .insert(cursors)
        .values({ account: lease.account, symbol: symbol as Order["symbol"], ...set })
        .onConflictDoUpdate({ target: [cursors.account, cursors.symbol], set });
    }),
    ...(memory ? [db.update(accounts).set({ memory }).where(eq(accounts.account, lease.account))] : []),
  ].map(statement);
  return [
    ...(changes.wish ? wishUnchanged(changes.wish) : []),
    // A slot's order ends before another one is adopted for it, and the adopted one exists before its fills.
    ...changes.orders.map((order) => updateOrder(context, order)),
    ...(changes.adopted.length > 0 ? [statement(db.insert(orders).values([...changes.adopted]))] : []),
    ...written,
    ...insertIntents(context, changes.intents, changes.terms),
  ];
}

const updateStrategy = ({ db }: Context, { id, ...set }: StrategyUpdate) =>
  db.update(strategies).set(set).where(eq(strategies.id, id));

/** How long mids are stored: thirteen months. */
const MIDS_KEPT: Millis = 396 * DAY;

/**
 * Returns the writes of mids. A new fill deletes the outdated ones of its pair. One whose row the last pass could not
 * record has its mid already; a conflict here would undo the whole settlement.
 */
export function midStatements(
  context: Context,
  account: AccountKey,
  { atFills, later }: FillMids,
): Statement[] {
  const { db } = context;
  const newest = new Map(atFills.map(({ symbol, at }) => [symbol, at]));
  return [
    ...atFills.map((fill) => db.insert(fillMids).values(fill).onConflictDoNothing()),
    ...later.map((mid) => horizonMidUpdate(context, account, mid)),
    ...[...newest].map(([symbol, at]) =>
      db.delete(fillMids).where(and(midsOf(account, symbol), lt(fillMids.at, at - MIDS_KEPT))),
    ),
  ].map(statement);
}

const midsOf = (account: AccountKey, symbol: Pair) =>
  and(eq(fillMids.account, account), eq(fillMids.symbol, symbol));

/** Reads only the fills of its span, along the key. */
export const horizonMidUpdate = (
  { db }: Pick<Context, "db">,
  account: AccountKey,
  { symbol, name, mid, from, to }: HorizonMid,
) =>
  db
    .update(fillMids)
    .set({ [name]: mid })
    .where(and(midsOf(account, symbol), between(fillMids.at, from, to), isNull(fillMids[name])));

/** Stores for how long own orders were on both sides, if the minute has a sample and its day is not signed. */
export const offerUpdate = (
  { db }: Pick<Context, "db">,
  exchange: string,
  { symbol, minute, offer }: OfferedMinute,
): Statement => {
  const day = Math.floor(minute / MINUTES_A_DAY);
  const ofPair = (table: typeof liquidityMinutes | typeof liquidityProofs) =>
    and(eq(table.exchange, exchange), eq(table.symbol, symbol));
  const signed = db
    .select({ day: liquidityProofs.day })
    .from(liquidityProofs)
    .where(and(ofPair(liquidityProofs), eq(liquidityProofs.day, day)));
  return statement(
    db
      .update(liquidityMinutes)
      .set({ offer })
      .where(
        and(
          ofPair(liquidityMinutes),
          eq(liquidityMinutes.minute, minute),
          isNull(liquidityMinutes.offer),
          notExists(signed),
        ),
      ),
  );
};
