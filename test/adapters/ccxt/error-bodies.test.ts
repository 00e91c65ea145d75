import { describe, expect, it } from "vitest";
import { ccxtVenue } from "../../../src/adapters/ccxt/account/venue.ts";
import { trimmed } from "../../../src/adapters/ccxt/client/catalog.ts";
import { VenueError } from "../../../src/kernel/errors.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { accountKey } from "../../../src/model/account.ts";
import type { VenueName } from "../../../src/model/market.ts";
import type { Venue } from "../../../src/ports/venue.ts";
import { PAYLOADS } from "../../support/fixtures.ts";
import { answering, KEYS, PERMIT } from "../../support/live.ts";
import { order } from "../../support/made.ts";
import { adapterLink } from "../../venues/adapter.ts";

const ACCOUNTS = [
  ["mexc", "classic"],
  ["gateio", "classic"],
  ["gateio", "unified"],
  ["bitget", "classic"],
  ["bitget", "unified"],
  ["kraken", "classic"],
] as const;

/** An unknown error in each exchange's own form. */
const OWN: Record<VenueName, string> = {
  mexc: '{"code":99999,"msg":"system error"}',
  gateio: '{"label":"LABEL_OF_TOMORROW","message":"system error"}',
  bitget: '{"code":"49999","msg":"system error","data":null}',
  kraken: '{"error":["EService:Of tomorrow"],"result":{}}',
};
/** What a gateway in front of an exchange can answer. */
const OTHERS = ['{"message":"system error"}', '{"error":"system error"}', '{"success":false}', "{}"];

const PAIR = "LTC/USDT";
const [ID, CLIENT_ID] = ["123456", "em1a2b3c4d5e6f7g8h"];

/** Not every exchange has all of them. */
const READS: Record<string, (venue: Venue) => Promise<unknown> | undefined> = {
  "open orders": (venue) => venue.openOrders(PAIR),
  trades: (venue) => venue.fills(PAIR, { from: Date.now() - MINUTE }),
  "trades of an order": (venue) => venue.fillsOf(PAIR, [ID], Date.now() - MINUTE),
  balances: (venue) => venue.balances(),
  "an order by its id": (venue) => venue.order({ symbol: PAIR, id: ID, clientId: CLIENT_ID }),
  "an order by our id": (venue) => venue.order({ symbol: PAIR, clientId: CLIENT_ID }),
  "orders in one call": (venue) => venue.orders?.(PAIR, [ID]),
  "ended orders": (venue) => venue.endedOrders?.(PAIR, Date.now() - MINUTE, undefined),
  "a ticker": (venue) => venue.ticker(PAIR),
  "a book": (venue) => venue.book(PAIR, 10),
  "public trades": (venue) => venue.trades(PAIR, 10),
  candles: (venue) => venue.candles(PAIR, { span: MINUTE, limit: 10 }),
};

/** An account on a server that answers every request with status 200 and this body. */
async function accountOn(
  name: VenueName,
  kind: "classic" | "unified",
  body: () => string,
  isListed = true,
): Promise<Venue> {
  const server = await answering(() => ({ body: body() }));
  const link = adapterLink({ name, url: server.url }, Date.now);
  const markets = Object.values(PAYLOADS.find(({ exchange }) => exchange === name)?.markets ?? {}).map(
    trimmed,
  );
  const listing = markets.map(({ symbol, id, altname }) => [symbol, String(altname ?? id)]);
  if (isListed)
    await link.keeping.markets.keepMarkets(link.host, { listing: Object.fromEntries(listing), markets });
  const account = { exchange: name, kind: "live", host: link.host } as const;
  await link.keeping.markets.keepKind(accountKey(account), { key: "", kind });
  return ccxtVenue(link, { account, keys: async () => ({ ...KEYS, hash: "" }) });
}

describe.each(ACCOUNTS)("an error text with status 200 from %s, a %s account", (name, kind) => {
  const bodies = [OWN[name], ...OTHERS];

  it.each(Object.entries(READS))("is no answer to a read of %s", async (_read, read) => {
    let body = "";
    const venue = await accountOn(name, kind, () => body);
    for (body of bodies) {
      const reading = read(venue);
      if (!reading) return;
      const result = await reading.catch((error: unknown) => error);
      expect(result, body).toBeInstanceOf(VenueError);
      expect(result, body).toMatchObject({ failure: "unavailable" });
    }
  });

  it("is no list of markets", async () => {
    for (const body of bodies) {
      const venue = await accountOn(name, kind, () => body, false);
      await expect(venue.market(PAIR), body).rejects.toMatchObject({ failure: "unavailable" });
    }
  });

  it("leaves it open whether an order was created or canceled", async () => {
    let body = "";
    const venue = await accountOn(name, kind, () => body);
    for (body of bodies) {
      const create = await venue.create({ ...order({ clientId: CLIENT_ID }), symbol: PAIR }, PERMIT);
      const cancel = await venue.cancel({ symbol: PAIR, id: ID }, PERMIT);
      expect([create.result, cancel.result], body).toEqual(["unknown", "unknown"]);
    }
  });
});

describe.each([
  ["kraken", "open orders", '{"error":[],"result":{}}', "classic"],
  ["kraken", "trades", '{"error":[],"result":{"count":0}}', "classic"],
  ["kraken", "an order by our id", '{"error":[],"result":{}}', "classic"],
  ["kraken", "ended orders", '{"error":[],"result":{}}', "classic"],
  ["kraken", "a book", '{"error":[],"result":{}}', "classic"],
  ["kraken", "a book", '{"error":[],"result":{"LTCUSDT":{}}}', "classic"],
  ["bitget", "a book", '{"code":"00000","msg":"success","data":null}', "classic"],
  ["bitget", "open orders", '{"code":"00000","msg":"success","data":null}', "classic"],
  ["bitget", "open orders", '{"code":"00000","msg":"success","data":null}', "unified"],
  ["bitget", "balances", '{"code":"00000","msg":"success","data":null}', "classic"],
  ["bitget", "balances", '{"code":"00000","msg":"success","data":null}', "unified"],
  ["bitget", "balances", '{"code":"00000","msg":"success","data":{"assets":null}}', "unified"],
] as const)("a success of %s without %s: %s, a %s account", (name, read, body, kind) => {
  it("is no empty list", async () => {
    const venue = await accountOn(name, kind, () => body);
    await expect(READS[read]?.(venue)).rejects.toMatchObject({
      failure: "unavailable",
      message: expect.stringContaining("unknown form"),
    });
  });
});
