DROP INDEX `orders_unsettled`;--> statement-breakpoint
CREATE INDEX `orders_unsettled` ON `orders` (`account`,`symbol`,`side`,`actor`) WHERE "orders"."settled" = 0;