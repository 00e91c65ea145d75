CREATE TABLE `channels` (
	`name` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`level` text NOT NULL,
	`quiet` text,
	`is_daily` integer NOT NULL,
	`reported_day` integer NOT NULL,
	`created_at` integer NOT NULL,
	`kek` text NOT NULL,
	`wrapped` text NOT NULL,
	`secrets` text NOT NULL,
	`event_id` integer NOT NULL,
	`fill_id` integer NOT NULL,
	`held` text NOT NULL,
	`owner` text,
	`until` integer DEFAULT 0 NOT NULL,
	`sent_at` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`retry_at` integer DEFAULT 0 NOT NULL,
	`error` text
);
--> statement-breakpoint
CREATE TABLE `messages` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`channel` text NOT NULL,
	`state` text NOT NULL,
	`message` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`error` text,
	`ended_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_id` ON `messages` (`id`);--> statement-breakpoint
CREATE INDEX `messages_of_channel` ON `messages` (`channel`,`state`,`number`);--> statement-breakpoint
CREATE INDEX `messages_by_age` ON `messages` (`ended_at`) WHERE "messages"."state" = 'sent';