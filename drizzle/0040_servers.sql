CREATE TABLE `servers` (
	`instance` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`host` text NOT NULL,
	`pid` integer NOT NULL,
	`heartbeat_at` integer NOT NULL
);
