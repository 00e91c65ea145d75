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
--> statement-breakpoint
CREATE TRIGGER events_append_only BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
--> statement-breakpoint
CREATE TRIGGER events_stay BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
