ALTER TABLE `strategies` ADD `edit` text;--> statement-breakpoint
ALTER TABLE `strategies` ADD `edits` integer DEFAULT 0 NOT NULL;