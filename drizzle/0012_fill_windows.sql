ALTER TABLE `cursors` ADD `ahead_from` integer;--> statement-breakpoint
ALTER TABLE `cursors` ADD `ahead_to` integer;