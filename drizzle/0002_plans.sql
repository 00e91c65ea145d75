CREATE TABLE `plans` (
	`id` text PRIMARY KEY NOT NULL,
	`binding` text NOT NULL,
	`actor` text NOT NULL,
	`tool` text NOT NULL,
	`input` text NOT NULL,
	`preview` text NOT NULL,
	`decision` text,
	`waiter` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer
);
--> statement-breakpoint
CREATE INDEX `plans_by_age` ON `plans` (`expires_at`);--> statement-breakpoint
CREATE INDEX `plans_by_waiter` ON `plans` (`waiter`);