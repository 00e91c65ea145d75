import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Plan, Preview } from "../../model/proposal.ts";
import { doc } from "./columns.ts";

/** Plans that agents were shown and can commit: each one once, for a short time. */
export const plans = sqliteTable(
  "plans",
  {
    id: text("id").primaryKey(),
    binding: text("binding").notNull(),
    actor: text("actor").notNull(),
    tool: text("tool").notNull(),
    input: doc<Plan["input"]>("input").notNull(),
    preview: doc<Preview>("preview").notNull(),
    decision: text("decision").$type<"approved" | "refused">(),
    /** The request that waits for the approval. */
    waiter: text("waiter"),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    consumedAt: integer("consumed_at"),
  },
  (table) => [index("plans_by_age").on(table.expiresAt), index("plans_by_waiter").on(table.waiter)],
);
