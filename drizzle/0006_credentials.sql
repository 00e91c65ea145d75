CREATE TABLE `credentials` (
	`account` text PRIMARY KEY NOT NULL,
	`kek` text NOT NULL,
	`wrapped` text NOT NULL,
	`key` text NOT NULL,
	`secret` text NOT NULL,
	`passphrase` text,
	`created_at` integer NOT NULL
);
