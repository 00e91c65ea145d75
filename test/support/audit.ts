import type { Client } from "@libsql/client";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { sandboxBooks } from "../../src/adapters/libsql/sandbox-books.ts";
import { startingBalances } from "../../src/adapters/sandbox/listings.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { upgraded } from "../../src/engine/pass/upgrade.ts";
import { text } from "../../src/kernel/decimal.ts";
import { isOurs } from "../../src/kernel/ids.ts";
import { KINDS } from "../../src/kinds.ts";
import { parseAccountKey } from "../../src/model/account.ts";
import { type Context, createContext } from "../../src/storage/client/context.ts";
import { safeClient } from "../../src/storage/client/safe-client.ts";
import { fills, orders, strategies } from "../../src/storage/tables/trading-tables.ts";
import { venueFills, venueOrders } from "../../src/storage/tables/venue-tables.ts";

const kinds = kindsOf(KINDS);

/** Of a database that no process works on any more. */
export async function auditSandbox(client: Client, exchange: string) {
  const context = createContext(await safeClient(client, nodeLocal));
  return auditBooks(context, exchange).finally(() => context.client.close());
}

/**
 * Compares what a simulated venue's own books say with what the service has stored: orders without an
 * intent, client ids taken twice, executions not booked, and per asset the account's change less the ledgers'.
 */
export async function auditBooks(context: Context, exchange: string) {
  const { db } = context;
  const intents = await db.select().from(orders);
  const onVenue = (await db.select().from(venueOrders)).filter((order) => order.exchange === exchange);
  const isHere = ({ account }: { account: string }) => parseAccountKey(account).exchange === exchange;
  const booked = new Set((await db.select().from(fills)).filter(isHere).map(({ tradeId }) => tradeId));
  const executed = (await db.select().from(venueFills)).filter((fill) => fill.exchange === exchange);
  const running = (await db.select().from(strategies))
    .filter(isHere)
    .map((strategy) => upgraded(kinds(strategy.kind), strategy));
  const moved = running.map(({ kind, state, symbol }) => kinds(kind).movedByBooks(state, symbol));
  const { books } = await sandboxBooks(context).load(exchange);

  const known = new Set(intents.map(({ clientId }) => clientId));
  const ours = onVenue.filter(({ clientId }) => isOurs(clientId));
  const ids = ours.map(({ clientId }) => clientId);
  const ofSlots = new Set(ours.filter(({ clientId }) => clientId[2] !== "0").map(({ id }) => id));
  const open = ours.filter(({ status }) => status === "open" || status === "partially_filled");
  const unbooked = executed.filter(({ orderId, id }) => ofSlots.has(orderId) && !booked.has(id));
  const differences = startingBalances(exchange).flatMap(({ asset, total }) => {
    const change = (books.holdings[asset]?.total ?? 0n) - total;
    const value = moved.reduce((sum, one) => sum + (one[asset] ?? 0n), 0n);
    return change === value ? [] : [`${text(change - value)} ${asset}`];
  });
  return {
    exchange,
    orders: ours.length,
    fills: executed.length,
    byHand: ours.length - ofSlots.size,
    strategies: running.map(({ id, status }) => ({ id, status })),
    withoutIntent: ids.filter((id) => !known.has(id)),
    /** Of them, those of which anything came: one that ended unfilled has moved nothing, and no look finds it for sure. */
    forgotten: ours
      .filter(
        ({ clientId, filled, status }) => !known.has(clientId) && (filled > 0n || status !== "canceled"),
      )
      .map(({ clientId }) => clientId),
    twice: ids.filter((id, place) => ids.indexOf(id) !== place),
    open: open.map(({ clientId }) => clientId),
    unbooked: unbooked.map(({ id }) => id),
    /** What the account has changed by and no ledger tells of. */
    differences,
  };
}

/** What an exchange looks like when all its strategies have stopped, after a restore, and nothing was lost or done twice. */
export const RESTORED = { forgotten: [], twice: [], open: [], unbooked: [], differences: [] } as const;
/** The same where no intent was ever lost. */
export const CLEAN = { ...RESTORED, withoutIntent: [] } as const;
