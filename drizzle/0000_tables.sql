CREATE TABLE `accounts` (
	`account` text PRIMARY KEY NOT NULL,
	`token` integer DEFAULT 0 NOT NULL,
	`owner` text,
	`until` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`retry_at` integer DEFAULT 0 NOT NULL,
	`error` text,
	`stepped_at` integer,
	`memory` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `control` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`kill` integer DEFAULT false NOT NULL,
	`epoch` integer DEFAULT 0 NOT NULL,
	CONSTRAINT "control_one_row" CHECK("control"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `cursors` (
	`account` text NOT NULL,
	`symbol` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`account`, `symbol`)
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account` text NOT NULL,
	`strategy` text,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`message` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `events_of_strategy` ON `events` (`strategy`,`id`);--> statement-breakpoint
CREATE TABLE `fence_guard` (
	`ok` integer NOT NULL,
	CONSTRAINT "fence_holds" CHECK("fence_guard"."ok" = 1)
);
--> statement-breakpoint
CREATE TABLE `fills` (
	`account` text NOT NULL,
	`symbol` text NOT NULL,
	`trade_id` text NOT NULL,
	`client_id` text NOT NULL,
	`strategy` text,
	`side` text NOT NULL,
	`price` text NOT NULL,
	`amount` text NOT NULL,
	`notional` text NOT NULL,
	`fees` text NOT NULL,
	`at` integer NOT NULL,
	`superseded` integer NOT NULL,
	PRIMARY KEY(`account`, `symbol`, `trade_id`),
	FOREIGN KEY (`client_id`) REFERENCES `orders`(`client_id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `fills_recent` ON `fills` (`account`,`symbol`,`at`);--> statement-breakpoint
CREATE INDEX `fills_of_strategy` ON `fills` (`strategy`,`at`);--> statement-breakpoint
CREATE TABLE `orders` (
	`client_id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`strategy` text,
	`kind` text NOT NULL,
	`generation` integer NOT NULL,
	`slot` integer NOT NULL,
	`symbol` text NOT NULL,
	`side` text NOT NULL,
	`type` text NOT NULL,
	`price` text NOT NULL,
	`amount` text NOT NULL,
	`state` text NOT NULL,
	`exchange_id` text,
	`filled` text NOT NULL,
	`booked` text NOT NULL,
	`booked_notional` text NOT NULL,
	`booked_fees` text NOT NULL,
	`gap` text NOT NULL,
	`notional` text,
	`fees` text,
	`reason` text,
	`send_by` integer NOT NULL,
	`not_after` integer NOT NULL,
	`misses` integer NOT NULL,
	`missed_at` integer,
	`ended_at` integer,
	`created_at` integer NOT NULL,
	`settled` integer NOT NULL,
	FOREIGN KEY (`account`) REFERENCES `accounts`(`account`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`strategy`) REFERENCES `strategies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orders_one_live_per_slot` ON `orders` (`strategy`,`generation`,`slot`) WHERE "orders"."settled" = 0 and "orders"."kind" = 'grid';--> statement-breakpoint
CREATE INDEX `orders_unsettled` ON `orders` (`account`) WHERE "orders"."settled" = 0;--> statement-breakpoint
CREATE INDEX `orders_of_strategy` ON `orders` (`strategy`,`settled`);--> statement-breakpoint
CREATE INDEX `orders_by_exchange_id` ON `orders` (`account`,`exchange_id`);--> statement-breakpoint
CREATE TABLE `requests` (
	`key` text PRIMARY KEY NOT NULL,
	`body_hash` text NOT NULL,
	`status` integer,
	`body` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `requests_by_age` ON `requests` (`created_at`);--> statement-breakpoint
CREATE TABLE `strategies` (
	`id` text PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`account` text NOT NULL,
	`symbol` text NOT NULL,
	`config` text NOT NULL,
	`state` text NOT NULL,
	`wants` text NOT NULL,
	`keep_orders` integer NOT NULL,
	`status` text NOT NULL,
	`phase` text NOT NULL,
	`last_error` text,
	`started_at` integer NOT NULL,
	`stopped_at` integer,
	`epoch` integer NOT NULL,
	`request` text,
	FOREIGN KEY (`account`) REFERENCES `accounts`(`account`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `strategies_number` ON `strategies` (`number`);--> statement-breakpoint
CREATE UNIQUE INDEX `strategies_request` ON `strategies` (`request`);--> statement-breakpoint
CREATE INDEX `strategies_running` ON `strategies` (`account`) WHERE "strategies"."status" <> 'stopped';--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_hash` ON `tokens` (`hash`);--> statement-breakpoint
CREATE TABLE `sandbox` (
	`id` integer PRIMARY KEY NOT NULL,
	`origin` integer NOT NULL,
	`created` integer NOT NULL,
	`seed` integer NOT NULL,
	`speed` real NOT NULL,
	`replays` text NOT NULL,
	CONSTRAINT "sandbox_one_row" CHECK("sandbox"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `shocks` (
	`symbol` text NOT NULL,
	`at` integer NOT NULL,
	`factor` real NOT NULL,
	PRIMARY KEY(`symbol`, `at`)
);
--> statement-breakpoint
CREATE TABLE `venue_balances` (
	`exchange` text NOT NULL,
	`asset` text NOT NULL,
	`total` text NOT NULL,
	`used` text NOT NULL,
	PRIMARY KEY(`exchange`, `asset`)
);
--> statement-breakpoint
CREATE TABLE `venue_fills` (
	`exchange` text NOT NULL,
	`id` text NOT NULL,
	`order_id` text NOT NULL,
	`symbol` text NOT NULL,
	`side` text NOT NULL,
	`price` text NOT NULL,
	`amount` text NOT NULL,
	`fee` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`exchange`, `id`)
);
--> statement-breakpoint
CREATE INDEX `venue_fills_by_time` ON `venue_fills` (`exchange`,`symbol`,`at`);--> statement-breakpoint
CREATE TABLE `venue_orders` (
	`exchange` text NOT NULL,
	`id` text NOT NULL,
	`client_id` text NOT NULL,
	`symbol` text NOT NULL,
	`side` text NOT NULL,
	`type` text NOT NULL,
	`price` text NOT NULL,
	`amount` text NOT NULL,
	`filled` text NOT NULL,
	`notional` text NOT NULL,
	`reserved` text NOT NULL,
	`fee` text NOT NULL,
	`fills` integer NOT NULL,
	`status` text NOT NULL,
	`at` integer NOT NULL,
	`meets_from` integer NOT NULL,
	PRIMARY KEY(`exchange`, `id`)
);
--> statement-breakpoint
CREATE INDEX `venue_orders_open` ON `venue_orders` (`exchange`) WHERE "venue_orders"."status" in ('open', 'partially_filled');--> statement-breakpoint
CREATE INDEX `venue_orders_by_client_id` ON `venue_orders` (`exchange`,`client_id`);--> statement-breakpoint
CREATE TABLE `venues` (
	`exchange` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`settled_at` integer NOT NULL
);
