ALTER TABLE `control` ADD `cancels` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `control` ADD `sells` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `control` ADD `turned_at` integer DEFAULT 0 NOT NULL;