CREATE TABLE `alarms` (
	`key` text PRIMARY KEY NOT NULL,
	`strategy` text,
	`since` integer NOT NULL,
	`message` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `lookout` (
	`id` integer PRIMARY KEY NOT NULL,
	`looked_at` integer NOT NULL,
	`before` integer NOT NULL,
	`owner` text NOT NULL,
	`owner_before` text NOT NULL,
	`event_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `strategy_days` (
	`strategy` text NOT NULL,
	`day` integer NOT NULL,
	`account` text NOT NULL,
	`opened` text NOT NULL,
	`latest` text NOT NULL,
	`from` integer NOT NULL,
	`to` integer NOT NULL,
	`up_millis` integer NOT NULL,
	`in_range_millis` integer NOT NULL,
	`incidents` integer NOT NULL,
	`is_final` integer NOT NULL,
	PRIMARY KEY(`strategy`, `day`)
);
--> statement-breakpoint
CREATE INDEX `strategy_days_by_day` ON `strategy_days` (`day`);