CREATE UNIQUE INDEX `strategies_tag` ON `strategies` (`account`,number % 2116316160);--> statement-breakpoint
UPDATE strategies SET state = json_set(state, '$.serial', 0) WHERE json_extract(state, '$.serial') IS NULL;
