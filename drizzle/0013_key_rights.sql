CREATE TABLE `key_rights` (
	`account` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`may_withdraw` integer,
	`loaded_at` integer NOT NULL
);
