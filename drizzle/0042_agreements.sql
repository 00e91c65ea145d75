CREATE TABLE `agreements` (
	`name` text NOT NULL,
	`version` integer NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`counterparty` text,
	`from_day` integer NOT NULL,
	`until_day` integer,
	`markets` text NOT NULL,
	`total` text,
	PRIMARY KEY(`name`, `version`)
);
