CREATE TABLE `fill_mids` (
	`account` text NOT NULL,
	`symbol` text NOT NULL,
	`at` integer NOT NULL,
	`trade_id` text NOT NULL,
	`mid` text,
	`mid_1s` text,
	`mid_10s` text,
	`mid_1m` text,
	`mid_5m` text,
	`mid_1h` text,
	PRIMARY KEY(`account`, `symbol`, `at`, `trade_id`)
);
