CREATE TABLE `liquidity_days` (
	`exchange` text NOT NULL,
	`symbol` text NOT NULL,
	`day` integer NOT NULL,
	`version` integer NOT NULL,
	`sums` text NOT NULL,
	`hash` text,
	PRIMARY KEY(`exchange`, `symbol`, `day`)
);
