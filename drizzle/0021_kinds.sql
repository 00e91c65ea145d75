ALTER TABLE `strategies` ADD `kind` text DEFAULT 'grid' NOT NULL;--> statement-breakpoint
ALTER TABLE `strategies` ADD `version` integer DEFAULT 1 NOT NULL;