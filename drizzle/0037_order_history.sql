DROP INDEX `orders_of_strategy`;--> statement-breakpoint
CREATE INDEX `orders_of_strategy` ON `orders` (`strategy`,`settled`,`created_at`,`client_id`);