import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { VenueName } from "../../src/model/market.ts";
import { PAYLOADS } from "../support/fixtures.ts";
import { ccxtClient } from "./ccxt-client.ts";
import { type EmulatedVenue, startVenue } from "./index.ts";

const PAIR = "LTC/USDT";
const ID = "em1aaaaaaaaaaaaaaa";
type Client = ReturnType<typeof ccxtClient>;
type Cause = (venue: EmulatedVenue, client: Client) => Promise<unknown>;

const buy = (client: Client, amount = 1, price = 50, params: object = {}) =>
  client.createOrder(PAIR, "limit", "buy", amount, price, params);
const as = (venue: EmulatedVenue, client: Client, keys: Partial<EmulatedVenue["keys"]>): Client => {
  const other = ccxtClient(venue.name, { url: venue.url, keys: { ...venue.keys, ...keys } });
  other.setMarkets(client.markets);
  return other;
};
const stranger: Cause = (venue, client) => as(venue, client, { key: "nobody" }).fetchBalance();
const forbidden: Cause = (venue, client) =>
  buy(as(venue, client, venue.addKeys({ account: venue.account, may: { trade: false } })));
const small: Cause = (_venue, client) => buy(client, 0.001, 50);
const closed: Cause = (venue, client) => {
  venue.list(PAIR, { active: false });
  return buy(client);
};
const failing =
  (kind: "rate_limit" | "server_error" | "maintenance"): Cause =>
  (venue, client) => {
    venue.fail({ kind });
    return buy(client);
  };

/** What brings out each error of the recordings; the answer has to be theirs. */
const CAUSES: Record<VenueName, Record<string, Cause>> = {
  mexc: {
    "-2013": (_venue, client) => client.fetchOrder("", PAIR, { clientOrderId: ID }),
    "10072": stranger,
    "700003": (venue, client) => {
      venue.skew(6001);
      return buy(client);
    },
    "700007": forbidden,
    "30005": (_venue, client) => client.createOrder(PAIR, "limit", "sell", 1e6, 100),
    "10007": closed,
  },
  gateio: {
    CLIENT_ID_NOT_FOUND: (_venue, client) => client.fetchOrder(`t-${ID}`, PAIR),
    INVALID_PARAM_VALUE: small,
    POC_FILL_IMMEDIATELY: (_venue, client) => buy(client, 1, 75, { postOnly: true }),
    READ_ONLY: forbidden,
    REQUEST_EXPIRED: (venue, client) => {
      venue.skew(62_000);
      return client.fetchBalance();
    },
    SERVER_ERROR: failing("server_error"),
  },
  bitget: {
    "00000": (_venue, client) => client.fetchOrder("", PAIR, { clientOrderId: ID }),
    "43012": (_venue, client) => buy(client, 1e6),
    "43118": async (_venue, client) => {
      await buy(client, 1, 50, { clientOrderId: ID });
      return buy(client, 1, 50, { clientOrderId: ID });
    },
    "40012": (venue, client) => as(venue, client, { passphrase: "wrong" }).fetchBalance(),
    "429": failing("rate_limit"),
  },
  kraken: {
    "EAPI:Invalid key": stranger,
    "EGeneral:Permission denied": forbidden,
    "EOrder:Order minimum not met": small,
    "EOrder:Rate limit exceeded": failing("rate_limit"),
    "EService:Unavailable": failing("maintenance"),
    "EService:Market in cancel_only mode": closed,
  },
};

const codeOf = (body: string): string => {
  const parsed = JSON.parse(body) as { code?: unknown; label?: unknown; error?: string[] };
  return String(parsed.label ?? parsed.error?.[0] ?? parsed.code);
};

describe.each(PAYLOADS)(
  "the refusals of the emulated $exchange, as in $source",
  ({ exchange: name, errors: recorded }) => {
    let venue: EmulatedVenue;
    let client: Client;
    beforeEach(async () => {
      venue = await startVenue(name);
      const keyless = ccxtClient(name, { url: venue.url });
      client = ccxtClient(name, venue);
      client.setMarkets(await keyless.loadMarkets());
      if (name === "kraken") client.options.marketsByAltname = keyless.options.marketsByAltname;
    });
    afterEach(() => venue.close());

    const caused = recorded.filter(({ body }) => CAUSES[name][codeOf(body)]);

    it.each(caused.map((one) => [codeOf(one.body), one] as const))(
      "%s",
      async (code, { httpStatus, ccxtError }) => {
        const error = await CAUSES[name][code]?.(venue, client).then(
          () => undefined,
          (failed: unknown) => failed as Error,
        );
        expect(error?.constructor.name).toBe(ccxtError);
        const [body = "{}"] = /\{.*\}/s.exec(error?.message ?? "") ?? [];
        expect(codeOf(body)).toBe(code);
        expect(venue.observed.at(-1)?.status).toBe(httpStatus);
      },
    );

    it("are reproduced for nearly every recorded error", () => {
      expect(recorded.length - caused.length).toBeLessThanOrEqual(2);
    });
  },
);
