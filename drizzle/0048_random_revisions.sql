-- A counter repeats after a restore, with other content; so an update sets a revision that no row has had.
DROP TRIGGER strategies_update;
--> statement-breakpoint
CREATE TRIGGER strategies_update AFTER UPDATE ON strategies WHEN NEW.revision = OLD.revision
BEGIN UPDATE strategies SET revision = random() & 4503599627370495 WHERE number = NEW.number; END;
