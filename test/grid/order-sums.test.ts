import { expect, it } from "vitest";
import { withReport } from "../../src/engine/reconcile/order-fills.ts";
import { gapFill } from "../../src/engine/reconcile/reconcile.ts";
import { NEW_ORDER, type Order } from "../../src/model/order.ts";
import type { VenueOrder } from "../../src/ports/venue.ts";
import { d } from "../support/grid.ts";

const order = {
  ...NEW_ORDER,
  clientId: "em1",
  symbol: "BTC/USDT",
  side: "buy",
  amount: d("2"),
} as unknown as Order;
const format = (over: Partial<VenueOrder>): VenueOrder =>
  ({ id: "1", filled: 0n, notional: 0n, fees: [], status: "open", ...over }) as VenueOrder;

const unreported = { notional: undefined, fees: undefined };

it("totals of a smaller amount are dropped: an order without fees while open is not free once filled", () => {
  const resting = withReport(order, format({}), 1);
  expect(resting).toMatchObject({ fees: [], notional: 0n });
  const filled = withReport(
    resting,
    format({ filled: d("2"), status: "filled", notional: d("200"), fees: undefined }),
    2,
  );
  expect(filled).toMatchObject({ fees: null, notional: d("200") });
  expect(gapFill(filled, 3)).toBeUndefined();
});

it("later totals of the same amount are adopted, and those of an older read are not", () => {
  const fees = [{ asset: "USDT", amount: d("0.1") }];
  const filled = withReport(order, format({ filled: d("1"), ...unreported }), 1);
  expect(filled).toMatchObject({ fees: null, notional: null });
  const whole = withReport(filled, format({ filled: d("1"), notional: d("100"), fees }), 2);
  expect(whole).toMatchObject({ fees, notional: d("100") });
  expect(withReport(whole, format({ filled: d("0.5"), notional: d("50"), fees: [] }), 3)).toBe(whole);
  expect(gapFill(whole, 4)).toMatchObject({ amount: d("1"), fees });
});
