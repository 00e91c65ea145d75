ALTER TABLE `channels` RENAME COLUMN `held` TO `digest`;--> statement-breakpoint
UPDATE `accounts` SET `memory` = replace(`memory`, '"seenAt":', '"observedAt":') WHERE `memory` LIKE '%"seenAt":%';--> statement-breakpoint
UPDATE `strategies` SET `state` = replace(`state`, '"heldUntil":', '"recoversUntil":') WHERE `state` LIKE '%"heldUntil":%';--> statement-breakpoint
UPDATE `strategies` SET `state` = replace(`state`, '"held":', '"baseAtStart":') WHERE `state` LIKE '%"held":%';--> statement-breakpoint
UPDATE `strategies` SET `state` = replace(`state`, '"seen":', '"recentPrices":') WHERE `state` LIKE '%"seen":%';
