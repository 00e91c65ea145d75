DROP INDEX `events_of_strategy`;--> statement-breakpoint
CREATE INDEX `events_of_strategy` ON `events` (`strategy`,`at`,`id`);--> statement-breakpoint
ALTER TABLE `strategies` ADD `name` text;--> statement-breakpoint
CREATE INDEX `strategies_name` ON `strategies` (`name`) WHERE "strategies"."name" is not null;