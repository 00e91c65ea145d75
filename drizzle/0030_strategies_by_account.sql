DROP INDEX `strategies_running`;--> statement-breakpoint
CREATE INDEX `strategies_running` ON `strategies` (`account`,`number`) WHERE "strategies"."status" <> 'stopped';