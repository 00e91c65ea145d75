ALTER TABLE `events` ADD `actor` text;--> statement-breakpoint
ALTER TABLE `events` ADD `request` text;--> statement-breakpoint
ALTER TABLE `events` ADD `chain` text;--> statement-breakpoint
ALTER TABLE `events` ADD `seq` integer;--> statement-breakpoint
ALTER TABLE `events` ADD `hash` text;--> statement-breakpoint
CREATE UNIQUE INDEX `events_chain` ON `events` (`chain`,`seq`);