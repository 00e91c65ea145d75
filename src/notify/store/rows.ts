import type { ResultSet } from "@libsql/client";
import { asc, getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { encode } from "../../kernel/codec.ts";
import { decimal } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Channel, ChannelSecrets, Digest, Message, NewsCursor } from "../../model/channel.ts";
import type { Side } from "../../model/market.ts";
import type { TellableEvent, TellableFill } from "../../model/news.ts";
import { type Context, rowsOf, statement } from "../../storage/client/context.ts";
import { channels, messages } from "../../storage/tables/notify-tables.ts";
import { events, fills, newestEvent, newestFill, strategies } from "../../storage/tables/tables.ts";

/** A channel as read before a process claims it. */
export type ChannelOutlook = Channel & {
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
  readonly events: readonly TellableEvent[];
  readonly fills: readonly TellableFill[];
}

export type OwnClaim = Pick<Claim, "channel" | "owner">;

export interface ClaimRequest {
  readonly name: string;
  readonly owner: string;
  readonly ttl: Millis;
  readonly page: number;
}

export interface ReadNews {
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

export type NewChannel = Pick<Channel, "name" | "kind" | "level" | "quiet" | "isDaily">;

export const isPending = sql`exists(select 1 from ${messages} where ${messages.channel} = ${channels.name} and ${messages.state} = 'pending')`;

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

/** Returns news for a channel, oldest first. */
export const eventsQuery = (context: Pick<Context, "db">, name: string, page: number) =>
  eventsFrom(
    context,
    sql`(select ${channels.eventId} from ${channels} where ${channels.name} = ${name})`,
    page,
  );

export const fillsQuery = (name: string, page: number): SQL =>
  fillsFrom(sql`(select ${channels.fillId} from ${channels} where ${channels.name} = ${name})`, page);

/** Returns the current name of the strategy of a row. */
export const nameOf = (strategy: SQLWrapper) =>
  sql<string | null>`(select ${strategies.name} from ${strategies} where ${strategies.id} = ${strategy})`;

/** Returns what is newer than an event or a fill. */
export const eventsFrom = ({ db }: Pick<Context, "db">, after: SQL, page: number) =>
  db
    .select({ ...getTableColumns(events), name: nameOf(events.strategy) })
    .from(events)
    .where(sql`${events.id} > ${after}`)
    .orderBy(asc(events.id))
    .limit(page);

export const fillsFrom = (after: SQL, page: number): SQL =>
  sql`select rowid, account, strategy, symbol, side, amount, notional, at, superseded, ${nameOf(fills.strategy)} from ${fills} where rowid > ${after} order by rowid limit ${page}`;

/** Inserts a message if a condition of its channel is true. */
export const insertMessage = (name: string, message: Message, where: SQL) =>
  statement(
    sql`insert into ${messages} (id, channel, state, message) select ${message.id}, ${name}, 'pending', ${encode(message)} from ${channels} where ${where}`,
  );

export const channelOf = ({
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

export const tellableEventsOf = (found: ResultSet | undefined): TellableEvent[] =>
  rowsOf(events, found).map((event, at) => {
    const name = found?.rows[at]?.[EVENT_COLUMNS];
    return { ...event, name: name == null ? null : String(name) };
  });

export const tellableFillOf = (row: ArrayLike<unknown>): TellableFill => ({
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
