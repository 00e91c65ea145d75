-- A client id is an account's own. Children go before their parents and are made after them: nothing here needs foreign keys off.
CREATE TABLE `orders_by_account` (
	`client_id` text NOT NULL,
	`account` text NOT NULL,
	`strategy` text,
	`kind` text NOT NULL,
	`generation` integer NOT NULL,
	`slot` integer NOT NULL,
	`symbol` text NOT NULL,
	`side` text NOT NULL,
	`type` text NOT NULL,
	`price` text NOT NULL,
	`amount` text NOT NULL,
	`state` text NOT NULL,
	`exchange_id` text,
	`filled` text NOT NULL,
	`booked` text NOT NULL,
	`booked_notional` text NOT NULL,
	`booked_fees` text NOT NULL,
	`gap` text NOT NULL,
	`notional` text,
	`fees` text,
	`reason` text,
	`send_by` integer NOT NULL,
	`not_after` integer NOT NULL,
	`misses` integer NOT NULL,
	`missed_at` integer,
	`ended_at` integer,
	`behind_since` integer,
	`created_at` integer NOT NULL,
	`settled` integer NOT NULL,
	`actor` text,
	`time_in_force` text DEFAULT 'gtc' NOT NULL,
	PRIMARY KEY(`account`, `client_id`),
	FOREIGN KEY (`account`) REFERENCES `accounts`(`account`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`strategy`) REFERENCES `strategies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `orders_by_account`("client_id", "account", "strategy", "kind", "generation", "slot", "symbol", "side", "type", "price", "amount", "state", "exchange_id", "filled", "booked", "booked_notional", "booked_fees", "gap", "notional", "fees", "reason", "send_by", "not_after", "misses", "missed_at", "ended_at", "behind_since", "created_at", "settled", "actor", "time_in_force") SELECT "client_id", "account", "strategy", "kind", "generation", "slot", "symbol", "side", "type", "price", "amount", "state", "exchange_id", "filled", "booked", "booked_notional", "booked_fees", "gap", "notional", "fees", "reason", "send_by", "not_after", "misses", "missed_at", "ended_at", "behind_since", "created_at", "settled", "actor", "time_in_force" FROM `orders` ORDER BY rowid;
--> statement-breakpoint
CREATE TABLE `fills_by_account` (
	`account` text NOT NULL,
	`symbol` text NOT NULL,
	`trade_id` text NOT NULL,
	`client_id` text NOT NULL,
	`strategy` text,
	`side` text NOT NULL,
	`price` text NOT NULL,
	`amount` text NOT NULL,
	`notional` text NOT NULL,
	`fees` text NOT NULL,
	`at` integer NOT NULL,
	`superseded` integer NOT NULL,
	PRIMARY KEY(`account`, `symbol`, `trade_id`),
	FOREIGN KEY (`account`,`client_id`) REFERENCES `orders_by_account`(`account`,`client_id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
-- Exports go on from a row's number: it stays.
INSERT INTO `fills_by_account`("rowid", "account", "symbol", "trade_id", "client_id", "strategy", "side", "price", "amount", "notional", "fees", "at", "superseded") SELECT "rowid", "account", "symbol", "trade_id", "client_id", "strategy", "side", "price", "amount", "notional", "fees", "at", "superseded" FROM `fills`;
--> statement-breakpoint
DROP TABLE `fills`;
--> statement-breakpoint
DROP TABLE `orders`;
--> statement-breakpoint
ALTER TABLE `orders_by_account` RENAME TO `orders`;
--> statement-breakpoint
ALTER TABLE `fills_by_account` RENAME TO `fills`;
--> statement-breakpoint
CREATE INDEX `fills_recent` ON `fills` (`account`,`symbol`,`at`);
--> statement-breakpoint
CREATE INDEX `fills_of_strategy` ON `fills` (`strategy`,`at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `orders_one_live_per_slot` ON `orders` (`strategy`,`generation`,`slot`) WHERE "orders"."settled" = 0 and "orders"."kind" = 'grid';
--> statement-breakpoint
CREATE INDEX `orders_unsettled_by_hand` ON `orders` (`account`,`symbol`) WHERE "orders"."settled" = 0 and "orders"."kind" = 'hand';
--> statement-breakpoint
CREATE INDEX `orders_unsettled` ON `orders` (`account`) WHERE "orders"."settled" = 0;
--> statement-breakpoint
CREATE INDEX `orders_of_strategy` ON `orders` (`strategy`,`settled`);
--> statement-breakpoint
CREATE INDEX `orders_by_exchange_id` ON `orders` (`account`,`exchange_id`);
--> statement-breakpoint
-- Only these edges between order states exist; a final state has no way out.
CREATE TRIGGER orders_state BEFORE UPDATE OF state ON orders
WHEN NEW.state <> OLD.state AND OLD.state || '>' || NEW.state NOT IN (
  'pending>submitted', 'pending>open', 'pending>partially_filled', 'pending>filled',
  'pending>canceled', 'pending>expired', 'pending>rejected', 'pending>unknown',
  'submitted>open', 'submitted>partially_filled', 'submitted>filled',
  'submitted>canceled', 'submitted>expired', 'submitted>rejected',
  'unknown>submitted', 'unknown>open', 'unknown>partially_filled', 'unknown>filled',
  'unknown>canceled', 'unknown>expired', 'unknown>rejected',
  'open>partially_filled', 'open>filled', 'open>canceled', 'open>expired', 'open>rejected',
  'partially_filled>filled', 'partially_filled>canceled', 'partially_filled>expired'
)
BEGIN SELECT RAISE(ABORT, 'no such edge between order states'); END;
--> statement-breakpoint
-- Amounts are text of one form, so a number comparison is enough to see one fall.
CREATE TRIGGER orders_filled BEFORE UPDATE OF filled ON orders
WHEN CAST(NEW.filled AS REAL) < CAST(OLD.filled AS REAL)
BEGIN SELECT RAISE(ABORT, 'the filled amount of an order never falls'); END;
--> statement-breakpoint
CREATE TRIGGER orders_identity BEFORE UPDATE OF client_id, account, strategy, generation, slot, symbol, side, price, amount ON orders
WHEN NEW.client_id IS NOT OLD.client_id OR NEW.account IS NOT OLD.account OR NEW.strategy IS NOT OLD.strategy
  OR NEW.generation IS NOT OLD.generation OR NEW.slot IS NOT OLD.slot OR NEW.symbol IS NOT OLD.symbol
  OR NEW.side IS NOT OLD.side OR NEW.price IS NOT OLD.price OR NEW.amount IS NOT OLD.amount
BEGIN SELECT RAISE(ABORT, 'what an order is does not change'); END;
--> statement-breakpoint
CREATE TRIGGER orders_stay BEFORE DELETE ON orders
BEGIN SELECT RAISE(ABORT, 'orders are not deleted'); END;
--> statement-breakpoint
CREATE TRIGGER fills_append_only BEFORE UPDATE ON fills
BEGIN SELECT RAISE(ABORT, 'fills are append-only'); END;
--> statement-breakpoint
CREATE TRIGGER fills_stay BEFORE DELETE ON fills
BEGIN SELECT RAISE(ABORT, 'fills are append-only'); END;
