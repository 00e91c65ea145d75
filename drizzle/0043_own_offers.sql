ALTER TABLE `liquidity_minutes` ADD `offer` text;
--> statement-breakpoint
-- The sums of a day are of exactly the minutes that are stored.
CREATE TRIGGER liquidity_minutes_update AFTER UPDATE ON liquidity_minutes
BEGIN DELETE FROM liquidity_days WHERE exchange = NEW.exchange AND symbol = NEW.symbol AND day = NEW.minute / 1440; END;
