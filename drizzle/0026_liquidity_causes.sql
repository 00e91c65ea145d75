CREATE TABLE `liquidity_misses` (
	`exchange` text NOT NULL,
	`symbol` text NOT NULL,
	`minute` integer NOT NULL,
	`cause` text NOT NULL,
	PRIMARY KEY(`exchange`, `symbol`, `minute`)
);
--> statement-breakpoint
ALTER TABLE `liquidity_minutes` ADD `sources` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `liquidity_minutes` ADD `absence` text;