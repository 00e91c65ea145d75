ALTER TABLE `accounts` ADD `scheduled` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `accounts` ADD `costs` text;