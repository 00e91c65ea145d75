-- A paused grid leaves its orders open; from now on the strategy says so, and a pause without it cancels them.
UPDATE `strategies` SET `keep_orders` = 1 WHERE `wants` = 'pause' AND `kind` = 'grid' AND `status` <> 'stopped';
