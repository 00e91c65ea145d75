/** What has not left is not in doubt: real ccxt, real sockets. */
import { describe, expect, it } from "vitest";
import { decimal } from "../../../src/kernel/decimal.ts";
import { VENUES, type VenueName } from "../../../src/model/market.ts";
import type { Permit } from "../../../src/ports/venue.ts";
import { liveApp, PERMIT } from "../../support/live.ts";

const ORDER = {
  clientId: "em1aaaaaaaaaaaaaaa",
  symbol: "BTC/USDT",
  side: "buy",
  type: "limit",
  price: decimal("50000"),
  amount: decimal("0.001"),
} as const;

/** It stands when the request's turn has come, and not any more once it is signed. */
function endingPermit(): Permit {
  let requestCount = 0;
  return { ...PERMIT, mayLeave: () => requestCount++ === 0 };
}

describe.each(Object.keys(VENUES) as VenueName[])("a request to %s that is signed too late", (name) => {
  it("is never sent: an order", async () => {
    const { deps, venues } = await liveApp([name]);
    const outcome = await deps.venue(name).create(ORDER, endingPermit());
    expect(outcome).toMatchObject({ result: "not_sent", reason: expect.stringContaining("in time") });
    expect(venues[name].count("create")).toBe(0);
  });

  it("is never sent: a cancel", async () => {
    const { deps, venues } = await liveApp([name]);
    const placed = await deps.venue(name).create(ORDER, PERMIT);
    if (placed.result !== "accepted") throw new Error(placed.result);
    const cancelling = { symbol: ORDER.symbol, id: placed.id };
    expect(await deps.venue(name).cancel(cancelling, endingPermit())).toEqual({ result: "not_sent" });
    expect(venues[name].count("cancel")).toBe(0);
  });
});
