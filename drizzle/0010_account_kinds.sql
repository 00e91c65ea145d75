CREATE TABLE `account_kinds` (
	`account` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`kind` text NOT NULL,
	`loaded_at` integer NOT NULL
);
