CREATE TABLE `account_fees` (
	`account` text NOT NULL,
	`symbol` text NOT NULL,
	`maker` text NOT NULL,
	`taker` text NOT NULL,
	`loaded_at` integer NOT NULL,
	PRIMARY KEY(`account`, `symbol`)
);
--> statement-breakpoint
CREATE TABLE `listings` (
	`host` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`loaded_at` integer NOT NULL,
	`names` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `markets` (
	`host` text NOT NULL,
	`symbol` text NOT NULL,
	`version` integer NOT NULL,
	`loaded_at` integer NOT NULL,
	`market` text NOT NULL,
	PRIMARY KEY(`host`, `symbol`)
);
--> statement-breakpoint
CREATE TABLE `nonces` (
	`account` text PRIMARY KEY NOT NULL,
	`last` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `rates` (
	`account` text PRIMARY KEY NOT NULL,
	`full_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rates_by_age` ON `rates` (`full_at`);