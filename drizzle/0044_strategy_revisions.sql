ALTER TABLE `strategies` ADD `revision` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- Whatever program writes a strategy, and whichever of its columns.
CREATE TRIGGER strategies_update AFTER UPDATE ON strategies WHEN NEW.revision = OLD.revision
BEGIN UPDATE strategies SET revision = OLD.revision + 1 WHERE number = NEW.number; END;
