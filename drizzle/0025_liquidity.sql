CREATE TABLE `liquidity_minutes` (
	`exchange` text NOT NULL,
	`symbol` text NOT NULL,
	`minute` integer NOT NULL,
	`samples` integer NOT NULL,
	`spread` text,
	`own_spread` text,
	`own_bids` integer NOT NULL,
	`own_asks` integer NOT NULL,
	`own_depth` text,
	`depth` text,
	`is_cut_short` integer NOT NULL,
	`deviation` text,
	PRIMARY KEY(`exchange`, `symbol`, `minute`)
);
