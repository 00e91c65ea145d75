-- The sums of a day are of exactly the minutes that are stored, whoever writes or deletes one.
CREATE TRIGGER liquidity_minutes_insert AFTER INSERT ON liquidity_minutes
BEGIN DELETE FROM liquidity_days WHERE exchange = NEW.exchange AND symbol = NEW.symbol AND day = NEW.minute / 1440; END;
--> statement-breakpoint
CREATE TRIGGER liquidity_minutes_delete AFTER DELETE ON liquidity_minutes
BEGIN DELETE FROM liquidity_days WHERE exchange = OLD.exchange AND symbol = OLD.symbol AND day = OLD.minute / 1440; END;
--> statement-breakpoint
CREATE TRIGGER liquidity_misses_insert AFTER INSERT ON liquidity_misses
BEGIN DELETE FROM liquidity_days WHERE exchange = NEW.exchange AND symbol = NEW.symbol AND day = NEW.minute / 1440; END;
--> statement-breakpoint
CREATE TRIGGER liquidity_misses_delete AFTER DELETE ON liquidity_misses
BEGIN DELETE FROM liquidity_days WHERE exchange = OLD.exchange AND symbol = OLD.symbol AND day = OLD.minute / 1440; END;
