import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { AlertLevel, ChannelKind, Digest, Message, QuietHours } from "../../model/channel.ts";
import { doc } from "./columns.ts";

/** Alert channels and their positions; processes claim a row to send its messages. */
export const channels = sqliteTable("channels", {
  name: text("name").primaryKey(),
  kind: text("kind").$type<ChannelKind>().notNull(),
  level: text("level").$type<AlertLevel>().notNull(),
  quiet: doc<QuietHours>("quiet"),
  isDaily: integer("is_daily", { mode: "boolean" }).notNull(),
  reportedDay: integer("reported_day").notNull(),
  createdAt: integer("created_at").notNull(),
  /** Its secrets, encrypted: see storage/client/envelope.ts. */
  kek: text("kek").notNull(),
  wrapped: text("wrapped").notNull(),
  secrets: doc<Readonly<Record<string, string>>>("secrets").notNull(),
  /** The newest event, and the newest fill by row number, that `digest` includes. */
  eventId: integer("event_id").notNull(),
  fillId: integer("fill_id").notNull(),
  digest: doc<Digest>("digest").notNull(),
  owner: text("owner"),
  until: integer("until").notNull().default(0),
  sentAt: integer("sent_at").notNull().default(0),
  failures: integer("failures").notNull().default(0),
  retryAt: integer("retry_at").notNull().default(0),
  error: text("error"),
});

/** Messages of a channel; sent ones are stored for some time. */
export const messages = sqliteTable(
  "messages",
  {
    number: integer("number").primaryKey({ autoIncrement: true }),
    id: text("id").notNull(),
    channel: text("channel").notNull(),
    state: text("state").$type<"pending" | "sent" | "dead">().notNull(),
    message: doc<Message>("message").notNull(),
    tries: integer("tries").notNull().default(0),
    error: text("error"),
    endedAt: integer("ended_at"),
  },
  (table) => [
    uniqueIndex("messages_id").on(table.id),
    index("messages_of_channel").on(table.channel, table.state, table.number),
    index("messages_by_age").on(table.endedAt).where(sql`${table.state} = 'sent'`),
  ],
);
