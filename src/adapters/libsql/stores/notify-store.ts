import { asc, eq, type SQL, sql } from "drizzle-orm";
import { encode } from "../../../kernel/codec.ts";
import { decimal } from "../../../kernel/decimal.ts";
import { SettingsError } from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { DAY } from "../../../kernel/time.ts";
import { type Channel, type Message, NO_DIGEST } from "../../../model/channel.ts";
import { EVERY_ACCOUNT, type Told } from "../../../model/events.ts";
import type { Side } from "../../../model/market.ts";
import type { TellableFill } from "../../../model/news.ts";
import type { Claim, NotifyStore } from "../../../ports/stores/notify-store.ts";
import { type Kek, open, rewrap, seal } from "../../vault/envelope.ts";
import { type Context, rowsOf, statement } from "../client/context.ts";
import { channels, messages } from "../tables/notify-tables.ts";
import { events, fills } from "../tables/tables.ts";
import { writeTold } from "./event-chain.ts";

/** How long a message that was sent is kept. */
const KEPT = 30 * DAY;

export const newestEvent = sql`coalesce((select max(${events.id}) from ${events}), 0)`;
/** Fills are never deleted, so that their rows are numbered as they were booked, without a gap. */
export const newestFill = sql`coalesce((select max(rowid) from ${fills}), 0)`;

const isPending = sql`exists(select 1 from ${messages} where ${messages.channel} = ${channels.name} and ${messages.state} = 'pending')`;

/** Everything that has work for a channel, and what it stands at: what it costs does not grow with what was told. */
export const outlookQuery = ({ db, now }: Pick<Context, "db" | "now">) =>
  db
    .select({
      row: channels,
      now: now(),
      event: sql<number>`${newestEvent}`,
      fill: sql<number>`${newestFill}`,
      isPending: sql<number>`${isPending}`,
    })
    .from(channels);

/** The news of a channel, the oldest first. */
export const eventsQuery = (context: Pick<Context, "db">, name: string, page: number) =>
  eventsFrom(
    context,
    sql`(select ${channels.eventId} from ${channels} where ${channels.name} = ${name})`,
    page,
  );

export const fillsQuery = (name: string, page: number): SQL =>
  fillsFrom(sql`(select ${channels.fillId} from ${channels} where ${channels.name} = ${name})`, page);

/** What is newer than an event, or a fill. */
export const eventsFrom = ({ db }: Pick<Context, "db">, after: SQL, page: number) =>
  db.select().from(events).where(sql`${events.id} > ${after}`).orderBy(asc(events.id)).limit(page);

export const fillsFrom = (after: SQL, page: number): SQL =>
  sql`select rowid, account, strategy, symbol, side, amount, notional, at, superseded from ${fills} where rowid > ${after} order by rowid limit ${page}`;

const OF_CHANNEL: Omit<Told, "message"> = { account: EVERY_ACCOUNT, strategy: null, kind: "channel" };

/** `keks`: the operator's keys, the first one encrypts. A process without any leaves all channels to others. */
export function notifyStore(
  context: Context,
  keks: readonly Kek[],
): NotifyStore & { rotate(): Promise<number> } {
  const { client, db, now } = context;
  const ownerOf = (name: string) => `channel ${name}`;
  const isOurs = ({ channel: { name }, owner }: Pick<Claim, "channel" | "owner">) =>
    sql`${channels.name} = ${name} and ${channels.owner} = ${owner} and ${channels.until} > ${now()}`;

  return {
    async addChannel({ name, kind, level, quiet, isDaily }, secrets, by) {
      const [kek] = keks;
      if (!kek)
        throw new SettingsError("EDGEMAKER_KEK is not set: it encrypts what a channel is opened with");
      const { fields, ...wrapping } = await seal(kek, ownerOf(name), secrets);
      const isNew = sql`not exists(select 1 from ${channels} where ${channels.name} = ${name})`;
      const [, added] = await writeTold(context, by, async ({ now: at, tell }) => {
        const row = {
          ...wrapping,
          ...{ name, kind, level, quiet, isDaily, secrets: fields, createdAt: at, held: NO_DIGEST },
          reportedDay: Math.floor(at / DAY),
          // After the event that tells of it.
          eventId: newestEvent as SQL<number>,
          fillId: newestFill as SQL<number>,
        };
        const insert = db.insert(channels).values(row).onConflictDoNothing();
        return [
          await tell({ ...OF_CHANNEL, message: `added ${name}, a ${kind}` }, isNew),
          statement(insert.returning({ name: channels.name })),
        ];
      });
      return (added?.rows.length ?? 0) > 0;
    },

    async removeChannel(name, by) {
      const isThere = sql`exists(select 1 from ${channels} where ${channels.name} = ${name})`;
      const [, removed] = await writeTold(context, by, async ({ tell }) => [
        await tell({ ...OF_CHANNEL, message: `removed ${name}` }, isThere),
        statement(db.delete(channels).where(eq(channels.name, name)).returning({ name: channels.name })),
        statement(db.delete(messages).where(eq(messages.channel, name))),
      ]);
      return (removed?.rows.length ?? 0) > 0;
    },

    async channels() {
      const count = (state: "pending" | "dead") =>
        sql<number>`(select count(*) from ${messages} where ${messages.channel} = ${channels.name} and ${messages.state} = ${state})`;
      const rows = await db
        .select({ row: channels, pending: count("pending"), dead: count("dead") })
        .from(channels)
        .orderBy(asc(channels.name));
      return rows.map(({ row, pending, dead }) => ({
        channel: channelOf(row),
        createdAt: row.createdAt,
        pending,
        dead,
      }));
    },

    async outlook() {
      if (keks.length === 0) return { now: 0, newest: { event: 0, fill: 0 }, channels: [] };
      const rows = await outlookQuery(context);
      const [{ now: at = 0, event = 0, fill = 0 } = {}] = rows;
      return {
        now: at,
        newest: { event, fill },
        channels: rows.map(({ row, isPending: waits }) => ({
          ...channelOf(row),
          claimedUntil: row.until,
          isPending: waits === 1,
        })),
      };
    },

    async newsAfter(cursor, page) {
      if (!cursor) {
        const { rows } = await client.execute(
          statement(sql`select ${newestEvent} as event, ${newestFill} as fill`),
        );
        const [at] = rows;
        return { events: [], fills: [], cursor: { event: Number(at?.event), fill: Number(at?.fill) } };
      }
      const [newEvents, newFills] = await client.batch(
        [
          statement(eventsFrom(context, sql`${cursor.event}`, page)),
          statement(fillsFrom(sql`${cursor.fill}`, page)),
        ],
        "read",
      );
      const told = {
        events: rowsOf(events, newEvents),
        fills: (newFills?.rows ?? []).map((one) => fillOf(one as ArrayLike<unknown>)),
      };
      return {
        ...told,
        cursor: {
          event: told.events.at(-1)?.id ?? cursor.event,
          fill: told.fills.at(-1)?.number ?? cursor.fill,
        },
      };
    },

    async claim({ name, owner, ttl, page }) {
      const isFree = sql`${channels.name} = ${name} and (${channels.until} <= ${now()} or ${channels.owner} = ${owner})`;
      const take = db
        .update(channels)
        .set({ owner, until: sql`${now()} + ${ttl}` })
        .where(isFree)
        .returning();
      const oldest = db
        .select()
        .from(messages)
        .where(sql`${messages.channel} = ${name} and ${messages.state} = 'pending'`)
        .orderBy(asc(messages.number))
        .limit(1);
      const [taken, newEvents, newFills, waiting] = await client.batch(
        [
          statement(take),
          statement(eventsQuery(context, name, page)),
          statement(fillsQuery(name, page)),
          statement(oldest),
        ],
        "write",
      );
      const [row] = rowsOf(channels, taken);
      if (!row) return undefined;
      const [pending] = rowsOf(messages, waiting);
      const sealed = { kek: row.kek, wrapped: row.wrapped, fields: row.secrets };
      return {
        channel: channelOf(row),
        owner,
        now: row.until - ttl,
        secrets: await open(keks, ownerOf(name), sealed),
        pending: pending && { message: pending.message, tries: pending.tries },
        events: rowsOf(events, newEvents),
        fills: (newFills?.rows ?? []).map((one) => fillOf(one as ArrayLike<unknown>)),
      };
    },

    async keep(claim, { cursor, held, message, reportedDay, isDone }) {
      const kept = db
        .update(channels)
        .set({
          eventId: cursor.event,
          fillId: cursor.fill,
          held,
          ...(reportedDay === undefined ? {} : { reportedDay }),
        })
        .where(isOurs(claim))
        .returning({ name: channels.name });
      const release = db.update(channels).set({ until: 0 }).where(isOurs(claim));
      const [found] = await client.batch(
        [
          statement(kept),
          ...(message ? [insertMessage(claim.channel.name, message, isOurs(claim))] : []),
          ...(isDone ? [statement(release)] : []),
        ],
        "write",
      );
      return (found?.rows.length ?? 0) > 0;
    },

    async settle({ channel: { name }, owner }, id, sent) {
      const isIts = sql`${channels.name} = ${name} and ${channels.owner} = ${owner}`;
      const isSent = sent.result === "sent";
      const told = db
        .update(messages)
        .set({
          state: sent.result === "later" ? "pending" : sent.result,
          tries: sql`${messages.tries} + 1`,
          error: isSent ? null : sent.error,
          endedAt: sent.result === "later" ? null : now(),
        })
        .where(sql`${messages.id} = ${id} and ${messages.state} = 'pending'`);
      const row = isSent
        ? { failures: 0, retryAt: 0, error: null, sentAt: now() }
        : { failures: sql`${channels.failures} + 1`, retryAt: sent.retryAt, error: sent.error };
      const old = sql`${messages.state} = 'sent' and ${messages.endedAt} < ${now()} - ${KEPT}`;
      await client.batch(
        [
          statement(told),
          statement(
            db
              .update(channels)
              .set({ ...row, until: 0 })
              .where(isIts),
          ),
          ...(isSent ? [statement(db.delete(messages).where(old))] : []),
        ],
        "write",
      );
    },

    async enqueue(name, message) {
      const at = (await client.execute(statement(sql`select ${now()}`))).rows[0]?.[0];
      const isThere = sql`${channels.name} = ${name}`;
      const added = insertMessage(name, { ...message, at: Number(at) }, isThere);
      const soon = db.update(channels).set({ retryAt: 0 }).where(isThere);
      const [result] = await client.batch([added, statement(soon)], "write");
      return (result?.rowsAffected ?? 0) > 0;
    },

    async replay(name) {
      const again = sql`${messages.channel} = ${name} and ${messages.state} = 'dead'`;
      const [result] = await client.batch(
        [
          statement(db.update(messages).set({ state: "pending", tries: 0, endedAt: null }).where(again)),
          statement(db.update(channels).set({ retryAt: 0, failures: 0 }).where(eq(channels.name, name))),
        ],
        "write",
      );
      return result?.rowsAffected ?? 0;
    },

    async rotate() {
      let count = 0;
      for (const row of await db.select().from(channels)) {
        if (row.kek === keks[0]?.id) continue;
        const sealed = { kek: row.kek, wrapped: row.wrapped, fields: row.secrets };
        const { kek, wrapped } = await rewrap(keks, ownerOf(row.name), sealed);
        const isSame = sql`${channels.name} = ${row.name} and ${channels.wrapped} = ${row.wrapped}`;
        const changed = await client.execute(
          statement(db.update(channels).set({ kek, wrapped }).where(isSame)),
        );
        count += changed.rowsAffected;
      }
      return count;
    },
  };
}

/** Where something holds of its channel. */
const insertMessage = (name: string, message: Message, where: SQL) =>
  statement(
    sql`insert into ${messages} (id, channel, state, message) select ${message.id}, ${name}, 'pending', ${encode(message)} from ${channels} where ${where}`,
  );

const channelOf = ({
  kek: _kek,
  wrapped: _wrapped,
  secrets: _secrets,
  owner: _owner,
  until: _until,
  createdAt: _createdAt,
  eventId: event,
  fillId: fill,
  ...row
}: typeof channels.$inferSelect): Channel => ({ ...row, cursor: { event, fill } });

const fillOf = (row: ArrayLike<unknown>): TellableFill => ({
  number: Number(row[0]),
  account: String(row[1]),
  strategy: row[2] === null ? null : String(row[2]),
  symbol: String(row[3]) as Pair,
  side: String(row[4]) as Side,
  amount: decimal(String(row[5])),
  notional: decimal(String(row[6])),
  at: Number(row[7]),
  isSuperseded: Number(row[8]) === 1,
});
