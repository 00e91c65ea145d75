CREATE TABLE `limit_uses` (
	`scope` text NOT NULL,
	`day` integer NOT NULL,
	`asset` text NOT NULL,
	`notional` integer NOT NULL,
	`orders` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`scope`, `day`, `asset`)
);
--> statement-breakpoint
CREATE TABLE `limits` (
	`scope` text PRIMARY KEY NOT NULL,
	`settings` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `control` ADD `limits` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `orders` ADD `actor` text;