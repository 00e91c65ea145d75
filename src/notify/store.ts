import type { ResultSet } from "@libsql/client";
import { asc, eq, getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { encode } from "../kernel/codec.ts";
import { decimal } from "../kernel/decimal.ts";
import { messageOf, SettingsError } from "../kernel/errors.ts";
import type { Pair } from "../kernel/pair.ts";
import { DAY, type Millis } from "../kernel/time.ts";
import {
  type Channel,
  type ChannelSecrets,
  type Digest,
  type Message,
  type NewsCursor,
  NO_DIGEST,
} from "../model/channel.ts";
import { type ActorAndRequest, EVERY_ACCOUNT, type EventView } from "../model/events.ts";
import type { Side } from "../model/market.ts";
import type { ReportableEvent, ReportableFill } from "../model/news.ts";
import { type Context, hasRows, rowsOf, statement } from "../storage/client/context.ts";
import { type Kek, openSealed, rewrap, seal } from "../storage/client/envelope.ts";
import { writeText } from "../storage/client/event-chain.ts";
import { isAheadRow } from "../storage/client/known-switch.ts";
import { events, fills, newestEvent, newestFill, strategies } from "../storage/tables/trading-tables.ts";
import { channels, messages } from "../storage/tables/venue-tables.ts";

/** How long a sent message is stored. */
const SENT_KEPT_FOR = 30 * DAY;

const OF_CHANNEL: Omit<EventView, "message"> = { account: EVERY_ACCOUNT, strategy: null, kind: "channel" };

function needKek([kek]: readonly Kek[]): Kek {
  if (kek) return kek;
  throw new SettingsError(
    "EDGEMAKER_KEK is not set; it encrypts the secrets of channels. Set it as it was when the channel was added",
  );
}

export type NotifyStore = Omit<ReturnType<typeof createNotifyStore>, "rotate">;

const holdsClaim = ({ now }: Context, { channel: { name }, owner }: OwnClaim) =>
  sql`${channels.name} = ${name} and ${channels.owner} = ${owner} and ${channels.until} > ${now()}`;

/** Owner name under which a channel's secrets are encrypted. */
const ownerOf = (name: string): string => `channel ${name}`;

const isPending = sql`exists(select 1 from ${messages} where ${messages.channel} = ${channels.name} and ${messages.state} = 'pending')`;

/** Returns everything with work for a channel, and its state; the cost does not grow with past messages. */
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

/** Returns the current name of the strategy of a row. */
const nameOf = (strategy: SQLWrapper) =>
  sql<string | null>`(select ${strategies.name} from ${strategies} where ${strategies.id} = ${strategy})`;

/** Returns what is newer than an event or a fill. */
export const eventsFrom = ({ db }: Pick<Context, "db">, after: SQL, page: number) =>
  db
    .select({ ...getTableColumns(events), name: nameOf(events.strategy) })
    .from(events)
    .where(sql`${events.id} > ${after}`)
    .orderBy(asc(events.id))
    .limit(page);

/** Returns news for a channel, oldest first. */
export const eventsQuery = (context: Pick<Context, "db">, name: string, page: number) =>
  eventsFrom(
    context,
    sql`(select ${channels.eventId} from ${channels} where ${channels.name} = ${name})`,
    page,
  );

export const fillsFrom = (after: SQL, page: number): SQL =>
  sql`select rowid, account, strategy, symbol, side, amount, notional, at, superseded, ${nameOf(fills.strategy)} from ${fills} where rowid > ${after} order by rowid limit ${page}`;

export const fillsQuery = (name: string, page: number): SQL =>
  fillsFrom(sql`(select ${channels.fillId} from ${channels} where ${channels.name} = ${name})`, page);

/** Inserts a message if a condition of its channel is true. */
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

const EVENT_COLUMNS = Object.keys(getTableColumns(events)).length;

const reportableEventsOf = (found: ResultSet | undefined): ReportableEvent[] =>
  rowsOf(events, found).map((event, at) => {
    const name = found?.rows[at]?.[EVENT_COLUMNS];
    return { ...event, name: name == null ? null : String(name) };
  });

const reportableFillOf = (row: ArrayLike<unknown>): ReportableFill => ({
  number: Number(row[0]),
  account: String(row[1]),
  strategy: row[2] === null ? null : String(row[2]),
  symbol: String(row[3]) as Pair,
  side: String(row[4]) as Side,
  amount: decimal(String(row[5])),
  notional: decimal(String(row[6])),
  at: Number(row[7]),
  isSuperseded: Number(row[8]) === 1,
  name: row[9] === null ? null : String(row[9]),
});

/** `keks` are the operator's keys; the first one encrypts. A process without keys leaves all channels to others. */
export const createNotifyStore = (context: Context, keks: readonly Kek[]) => ({
  ...channelList(context, keks),
  ...newsReads(context, keks),
  ...deliveries(context, keks),
  ...messageQueue(context, keks),
  rotate: () => rotateSecrets(context, keks),
});

/** The channels that people add and remove. */
function channelList(context: Context, keks: readonly Kek[]) {
  const { db } = context;
  return {
    /** Adds a channel, which gets events from now on. Returns false if the name exists. */
    async addChannel(
      { name, kind, level, quiet, isDaily }: NewChannel,
      secrets: ChannelSecrets,
      by: ActorAndRequest,
    ): Promise<boolean> {
      const kek = needKek(keks);
      const { fields, ...wrapping } = await seal(kek, ownerOf(name), secrets);
      const isNew = sql`not exists(select 1 from ${channels} where ${channels.name} = ${name})`;
      const [, added] = await writeText(context, by, async ({ now: at, tell }) => {
        const row = {
          ...wrapping,
          name,
          kind,
          level,
          quiet,
          isDaily,
          secrets: fields,
          createdAt: at,
          digest: NO_DIGEST,
          reportedDay: Math.floor(at / DAY),
          // After the event that reports it.
          eventId: newestEvent as SQL<number>,
          fillId: newestFill as SQL<number>,
        };
        const insert = db.insert(channels).values(row).onConflictDoNothing();
        return [
          await tell({ ...OF_CHANNEL, message: `added ${name}, a ${kind}` }, isNew),
          statement(insert.returning({ name: channels.name })),
        ];
      });
      return hasRows(added);
    },

    /** Deletes a channel with its messages. Returns false if it does not exist. */
    async removeChannel(name: string, by: ActorAndRequest): Promise<boolean> {
      const isThere = sql`exists(select 1 from ${channels} where ${channels.name} = ${name})`;
      const [, removed] = await writeText(context, by, async ({ tell }) => [
        await tell({ ...OF_CHANNEL, message: `removed ${name}` }, isThere),
        statement(db.delete(channels).where(eq(channels.name, name)).returning({ name: channels.name })),
        statement(db.delete(messages).where(eq(messages.channel, name))),
      ]);
      return hasRows(removed);
    },

    async channels(): Promise<readonly ChannelReport[]> {
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
  };
}

/** Reads what is not reported yet. */
function newsReads(context: Context, keks: readonly Kek[]) {
  const { client } = context;
  return {
    /** Reads all channels in one request; the cost depends on their number. */
    async outlook(): Promise<Outlook> {
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

    /** Returns events and fills after a cursor, oldest first, at most `page` of each; without a cursor, the current position. */
    async newsAfter(
      cursor: NewsCursor | undefined,
      page: number,
    ): Promise<Pick<Claim, "events" | "fills"> & { readonly cursor: NewsCursor }> {
      if (!cursor) {
        const { rows } = await client.execute(
          statement(sql`select ${newestEvent} as event, ${newestFill} as fill`),
        );
        const [at] = rows;
        return { events: [], fills: [], cursor: { event: Number(at?.event), fill: Number(at?.fill) } };
      }
      const [newEvents, newFills] = await client.batch(
        [eventsFrom(context, sql`${cursor.event}`, page), fillsFrom(sql`${cursor.fill}`, page)].map(
          statement,
        ),
        "read",
      );
      const output = {
        events: reportableEventsOf(newEvents),
        fills: (newFills?.rows ?? []).map((row) => reportableFillOf(row as ArrayLike<unknown>)),
      };
      return {
        ...output,
        cursor: {
          event: output.events.at(-1)?.id ?? cursor.event,
          fill: output.fills.at(-1)?.number ?? cursor.fill,
        },
      };
    },
  };
}

/** Claims a channel, and stores the message that it sends next. */
function deliveries(context: Context, keks: readonly Kek[]) {
  const { client, db, now } = context;
  /** Stores why nothing can be sent, because only the log would show it. */
  const undecryptable = (name: string) => async (cause: unknown) => {
    const error = `its secrets cannot be decrypted: ${messageOf(cause)}`;
    await client.execute(statement(db.update(channels).set({ error }).where(eq(channels.name, name))));
    throw cause;
  };
  return {
    /** Claims the channel for a limited time, unless another process has it. */
    async claim({ name, owner, ttl, page }: ClaimRequest): Promise<Claim | undefined> {
      const isFree = sql`${channels.name} = ${name} and (not ${isAheadRow(channels.until, now(), ttl)} or ${channels.owner} = ${owner})`;
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
      const [claimed, newEvents, newFills, waiting] = await client.batch(
        [take, eventsQuery(context, name, page), fillsQuery(name, page), oldest].map(statement),
        "write",
      );
      const [row] = rowsOf(channels, claimed);
      if (!row) return undefined;
      const [pending] = rowsOf(messages, waiting);
      const sealed = { kek: row.kek, wrapped: row.wrapped, fields: row.secrets };
      return {
        channel: channelOf(row),
        owner,
        now: row.until - ttl,
        secrets: await openSealed(keks, ownerOf(name), sealed).catch(undecryptable(name)),
        pending: pending && { message: pending.message, tries: pending.tries },
        events: reportableEventsOf(newEvents),
        fills: (newFills?.rows ?? []).map((row) => reportableFillOf(row as ArrayLike<unknown>)),
      };
    },

    /** Stores the claim's secrets in place of the channel's. Returns false if the claim has expired. */
    async keepSecrets(claim: Pick<Claim, "channel" | "owner" | "secrets">): Promise<boolean> {
      const { fields, ...wrapping } = await seal(needKek(keks), ownerOf(claim.channel.name), claim.secrets);
      const kept = db
        .update(channels)
        .set({ ...wrapping, secrets: fields })
        .where(holdsClaim(context, claim));
      return (await client.execute(statement(kept))).rowsAffected > 0;
    },

    /** Stores what the claim read and the message built from it, in one write. Returns false if the claim has expired. */
    async keep(
      claim: OwnClaim,
      { cursor, digest, message, reportedDay, isDone }: ReadNews,
    ): Promise<boolean> {
      const kept = db
        .update(channels)
        .set({ eventId: cursor.event, fillId: cursor.fill, digest, reportedDay })
        .where(holdsClaim(context, claim))
        .returning({ name: channels.name });
      const release = db.update(channels).set({ until: 0 }).where(holdsClaim(context, claim));
      const [found] = await client.batch(
        [
          statement(kept),
          ...(message ? [insertMessage(claim.channel.name, message, holdsClaim(context, claim))] : []),
          ...(isDone ? [statement(release)] : []),
        ],
        "write",
      );
      return hasRows(found);
    },
  };
}

/** Ends, adds and repeats messages. */
function messageQueue(context: Context, keks: readonly Kek[]) {
  const { client, db, now } = context;
  return {
    /** Stores the result of a message and releases the channel. */
    async settle({ channel: { name }, owner }: OwnClaim, id: string, sent: Sent): Promise<void> {
      const isIts = sql`${channels.name} = ${name} and ${channels.owner} = ${owner}`;
      const isSent = sent.result === "sent";
      const output = db
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
      const tried = db.update(channels).set({ ...row, until: 0 });
      const old = sql`${messages.state} = 'sent' and ${messages.endedAt} < ${now()} - ${SENT_KEPT_FOR}`;
      await client.batch(
        [
          statement(output),
          statement(tried.where(isIts)),
          ...(isSent ? [statement(db.delete(messages).where(old))] : []),
        ],
        "write",
      );
    },

    /** Queues a message; returns false if the channel does not exist. */
    async enqueue(name: string, message: Omit<Message, "at">): Promise<boolean> {
      needKek(keks);
      const at = (await client.execute(statement(sql`select ${now()}`))).rows[0]?.[0];
      const isThere = sql`${channels.name} = ${name}`;
      const added = insertMessage(name, { ...message, at: Number(at) }, isThere);
      const soon = db.update(channels).set({ retryAt: 0 }).where(isThere);
      const [result] = await client.batch([added, statement(soon)], "write");
      return (result?.rowsAffected ?? 0) > 0;
    },

    /** Queues failed messages again and returns their number. */
    async replay(name: string): Promise<number> {
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
  };
}

/** Encrypts every channel's secrets with the first of `keks`; returns how many were encrypted with another. */
async function rotateSecrets({ client, db }: Context, keks: readonly Kek[]): Promise<number> {
  let count = 0;
  for (const row of await db.select().from(channels)) {
    if (row.kek === keks[0]?.id) continue;
    const sealed = { kek: row.kek, wrapped: row.wrapped, fields: row.secrets };
    const { kek, wrapped } = await rewrap(keks, ownerOf(row.name), sealed);
    const isSame = sql`${channels.name} = ${row.name} and ${channels.wrapped} = ${row.wrapped}`;
    const changed = await client.execute(statement(db.update(channels).set({ kek, wrapped }).where(isSame)));
    count += changed.rowsAffected;
  }
  return count;
}

/** A channel as read before a process claims it. */
type ChannelOutlook = Channel & {
  /** End of the current claim. */
  readonly claimedUntil: Millis;
  /** Whether it has a message to send. */
  readonly isPending: boolean;
};

export interface Outlook {
  readonly now: Millis;
  readonly newest: NewsCursor;
  readonly channels: readonly ChannelOutlook[];
}

/** One process's claim on a channel. Its writes take effect only while the claim lasts. */
export interface Claim {
  readonly channel: Channel;
  readonly owner: string;
  readonly now: Millis;
  readonly secrets: ChannelSecrets;
  /** The oldest message to send. */
  readonly pending: { readonly message: Message; readonly tries: number } | undefined;
  /** Events and fills after the channel's cursor, oldest first, at most `page` of each. */
  readonly events: readonly ReportableEvent[];
  readonly fills: readonly ReportableFill[];
}

type OwnClaim = Pick<Claim, "channel" | "owner">;

interface ClaimRequest {
  readonly name: string;
  readonly owner: string;
  readonly ttl: Millis;
  readonly page: number;
}

interface ReadNews {
  readonly cursor: NewsCursor;
  readonly digest: Digest;
  readonly message?: Message | undefined;
  readonly reportedDay?: number | undefined;
  /** Releases the claim without a message. */
  readonly isDone: boolean;
}

export interface ChannelReport {
  readonly channel: Channel;
  readonly createdAt: Millis;
  readonly pending: number;
  readonly dead: number;
}

/** Result of an attempt to send. */
export type Sent =
  | { readonly result: "sent" }
  | { readonly result: "later" | "dead"; readonly error: string; readonly retryAt: Millis };

type NewChannel = Pick<Channel, "name" | "kind" | "level" | "quiet" | "isDaily">;
