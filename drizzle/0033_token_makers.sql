ALTER TABLE `tokens` ADD `maker` text;--> statement-breakpoint
CREATE INDEX `tokens_by_maker` ON `tokens` (`maker`);