UPDATE `accounts` SET `memory` = replace(`memory`, '"askedAt":', '"requestedAt":') WHERE `memory` LIKE '%"askedAt":%';--> statement-breakpoint
UPDATE `channels` SET `held` = replace(`held`, '"told":', '"sentAt":') WHERE `held` LIKE '%"told":%';--> statement-breakpoint
UPDATE `strategies` SET `config` = replace(`config`, '"asked":', '"halfSpread":') WHERE `config` LIKE '%"asked":%';--> statement-breakpoint
UPDATE `strategies` SET `edit` = replace(`edit`, '"asked":', '"halfSpread":') WHERE `edit` LIKE '%"asked":%';
