CREATE TABLE `liquidity_proofs` (
	`exchange` text NOT NULL,
	`symbol` text NOT NULL,
	`day` integer NOT NULL,
	`previous` text NOT NULL,
	`hash` text NOT NULL,
	`signature` text NOT NULL,
	`public_key` text NOT NULL,
	PRIMARY KEY(`exchange`, `symbol`, `day`)
);
--> statement-breakpoint
CREATE TABLE `proof_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`kek` text NOT NULL,
	`wrapped` text NOT NULL,
	`private_key` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
-- A signed day stays as it was signed. A sample that comes later is dropped.
CREATE TRIGGER liquidity_proofs_update BEFORE UPDATE ON liquidity_proofs
BEGIN SELECT RAISE(ABORT, 'a signed day is not changed'); END;
--> statement-breakpoint
CREATE TRIGGER liquidity_proofs_delete BEFORE DELETE ON liquidity_proofs
BEGIN SELECT RAISE(ABORT, 'a signed day is not deleted'); END;
--> statement-breakpoint
CREATE TRIGGER liquidity_minutes_signed BEFORE INSERT ON liquidity_minutes
WHEN EXISTS(SELECT 1 FROM liquidity_proofs AS signed WHERE signed.exchange = NEW.exchange AND signed.symbol = NEW.symbol AND signed.day = NEW.minute / 1440)
BEGIN SELECT RAISE(IGNORE); END;
--> statement-breakpoint
CREATE TRIGGER liquidity_misses_signed BEFORE INSERT ON liquidity_misses
WHEN EXISTS(SELECT 1 FROM liquidity_proofs AS signed WHERE signed.exchange = NEW.exchange AND signed.symbol = NEW.symbol AND signed.day = NEW.minute / 1440)
BEGIN SELECT RAISE(IGNORE); END;
