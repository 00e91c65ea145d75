CREATE TABLE `checkpoints` (
	`number` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`marks` text NOT NULL,
	`key` text NOT NULL,
	`signature` text NOT NULL
);

--> statement-breakpoint
CREATE TRIGGER checkpoints_append_only BEFORE UPDATE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are append-only'); END;
--> statement-breakpoint
CREATE TRIGGER checkpoints_stay BEFORE DELETE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are append-only'); END;
--> statement-breakpoint
DROP TRIGGER events_stay;
--> statement-breakpoint
-- What the newest checkpoint has signed as cut off may go.
CREATE TRIGGER events_stay BEFORE DELETE ON events
WHEN NOT EXISTS (
  SELECT 1 FROM checkpoints, json_each(checkpoints.marks) AS mark
  WHERE checkpoints.number = (SELECT max(number) FROM checkpoints)
    AND json_extract(mark.value, '$.chain') = OLD.chain AND OLD.seq < json_extract(mark.value, '$.from')
)
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
