CREATE TABLE `archives` (
	`year` integer PRIMARY KEY NOT NULL,
	`file` text NOT NULL,
	`before` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fills_of_order` ON `fills` (`account`,`client_id`);
--> statement-breakpoint
DROP TRIGGER orders_stay;
--> statement-breakpoint
-- Of a strategy's orders, those that have ended without a fill may go once their year has an archive.
CREATE TRIGGER orders_stay BEFORE DELETE ON orders
WHEN NOT (
  OLD.settled = 1 AND OLD.kind <> 'hand' AND OLD.strategy IS NOT NULL
  AND OLD.state IN ('canceled', 'expired', 'rejected') AND OLD.filled = '0' AND OLD.booked = '0'
  AND coalesce(OLD.ended_at, OLD.created_at) < coalesce((
    SELECT before FROM archives
    WHERE year = CAST(strftime('%Y', coalesce(OLD.ended_at, OLD.created_at) / 1000, 'unixepoch') AS INTEGER)
  ), 0)
)
BEGIN SELECT RAISE(ABORT, 'orders are not deleted'); END;
