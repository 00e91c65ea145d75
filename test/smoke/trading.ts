import { div, max, mul, ONE, snap, text } from "../../src/kernel/decimal.ts";
import { handOrderId } from "../../src/kernel/ids.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { NewOrder } from "../../src/model/order.ts";
import type { Permit, Venue, VenueOrder } from "../../src/ports/venue.ts";
import type { Local } from "../../src/ports/within-time.ts";
import { timed } from "./public.ts";

const PERMIT: Permit = { mayLeave: () => true, sendBy: Number.MAX_SAFE_INTEGER };
/** How long we look for what should show. */
const PATIENCE = 30_000;

/** A buy at half the price, as small as the market takes it: placed, found, cancelled. */
export async function tryOrder(venue: Venue, symbol: Pair, local: Local): Promise<void> {
  const order = await farOrder(venue, symbol, handOrderId(local.randomText(15)));
  const { clientId, price, amount } = order;
  const outcome = await timed(
    `create ${clientId}, ${text(amount)} at ${text(price)}`,
    () => venue.create(order, PERMIT),
    (found) => JSON.stringify(found),
  );
  if (outcome.result !== "accepted") return;
  try {
    await untilShown("shown by client id", () => venue.order({ symbol, clientId }), local);
    await untilShown(
      "shown on the open list",
      async () => (await venue.openOrders(symbol)).find(({ id }) => id === outcome.id),
      local,
    );
  } finally {
    const key = { symbol, id: outcome.id };
    await timed(
      "cancel",
      () => venue.cancel(key, PERMIT),
      (found) => found.result,
    );
    await timed(
      "cancel again",
      () => venue.cancel(key, PERMIT),
      (found) => JSON.stringify(found),
    );
  }
  const isEnded = (found: VenueOrder | undefined) => (found?.status === "canceled" ? found : undefined);
  await untilShown(
    "cancelled by client id",
    async () => isEnded(await venue.order({ symbol, clientId })),
    local,
  );
  console.log(
    `  later, to see how long the client id is kept: npm run smoke:live -- --look ${clientId} --symbol ${symbol}`,
  );
}

async function farOrder(venue: Venue, symbol: Pair, clientId: string): Promise<NewOrder> {
  const [{ tick, lot, minAmount, minNotional }, { bid }] = [
    await venue.market(symbol),
    await venue.ticker(symbol),
  ];
  const price = snap(bid / 2n, tick, "down");
  const least = max(max(minAmount, lot), div(mul(minNotional, (ONE * 11n) / 10n, "up"), price, "up"));
  return { clientId, symbol, side: "buy", type: "limit", price, amount: snap(least, lot, "up") };
}

async function untilShown(
  name: string,
  look: () => Promise<VenueOrder | undefined>,
  local: Local,
): Promise<void> {
  const startedAt = local.monotonic();
  for (let looks = 1; ; looks++) {
    const found = await look();
    const after = Math.round(local.monotonic() - startedAt);
    if (found || after > PATIENCE) {
      console.log(`  ${name}: ${found ? found.status : "NOT SEEN"} after ${after} ms and ${looks} looks`);
      return;
    }
    await local.sleep(200);
  }
}

export const lookLater = (venue: Venue, symbol: Pair, clientId: string): Promise<VenueOrder | undefined> =>
  timed(
    `look for ${clientId}`,
    () => venue.order({ symbol, clientId }),
    (found) => (found ? `${found.status}, id ${found.id}` : "not known any more"),
  );
