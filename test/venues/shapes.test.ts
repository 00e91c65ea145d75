import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Case, PAYLOADS } from "../support/fixtures.ts";
import { ccxtClient } from "./ccxt-client.ts";
import { type EmulatedVenue, startVenue } from "./index.ts";

const PAIR = "LTC/USDT";

/** What a recorded answer has and an emulated one does not need: what only that order, or only margin, has. */
const LEFT_OUT = /\.(margin|leverage|trades|misc)$/;

describe.each(PAYLOADS)("the responses of the emulated $exchange have the shape of $source", (payloads) => {
  const name = payloads.exchange;
  let venue: EmulatedVenue;
  let client: ReturnType<typeof ccxtClient>;
  beforeAll(async () => {
    venue = await startVenue(name);
    const keyless = ccxtClient(name, { url: venue.url });
    client = ccxtClient(name, venue);
    client.setMarkets(await keyless.loadMarkets());
    if (name === "kraken") client.options.marketsByAltname = keyless.options.marketsByAltname;
  });
  afterAll(() => venue.close());

  it.each(
    [...payloads.cases, ...payloads.derived].map(
      (one) => [`${one.method}: ${one.description}`, one] as const,
    ),
  )("%s", async (_name, recorded) => {
    const call = (client as unknown as Record<string, (...input: unknown[]) => Promise<unknown>>)[
      recorded.method
    ];
    await call?.apply(client, await inputOf(recorded, client, venue));
    const answered: unknown = JSON.parse(String(client.last_http_response));
    expect(missing(recorded.httpResponse, answered, "").filter((path) => !LEFT_OUT.test(path))).toEqual([]);
  });
});

/** The recorded call with a pair and ids that the emulated exchange has. */
async function inputOf(
  { method, input, httpResponse }: Case,
  client: ReturnType<typeof ccxtClient>,
  venue: EmulatedVenue,
): Promise<unknown[]> {
  const filled = /"status":"(filled|closed)"/.test(JSON.stringify(httpResponse));
  switch (method) {
    case "createOrder":
      return input[1] === "market"
        ? [PAIR, "market", "buy", 1]
        : [PAIR, "limit", "buy", 1, 50, { clientOrderId: "em1aaaaaaaaaaaaaaa" }];
    case "fetchBalance":
      return [];
    case "fetchTicker":
    case "fetchOrderBook":
      return [PAIR];
    case "fetchTrades":
      return ["BTC/USDT", undefined, 1];
    default: {
      const clientOrderId = `em1${String(venue.orders().length).padStart(15, "b")}`;
      const params = method === "fetchOpenOrders" || method === "fetchClosedOrders" ? { clientOrderId } : {};
      const order = await client.createOrder(PAIR, "limit", "buy", 1, filled ? 75 : 50, { clientOrderId });
      const id = String(order.id);
      if (method === "fetchMyTrades") {
        venue.fill(id);
        return [PAIR];
      }
      if (method === "fetchClosedOrders" && !filled) await client.cancelOrder(id, PAIR);
      if (method === "fetchOrder" && /"status":"cancell?ed"/i.test(JSON.stringify(httpResponse))) {
        venue.fill(id, "0.1");
        await client.cancelOrder(id, PAIR);
      }
      if (method === "cancelOrder" && /finish_as/.test(JSON.stringify(httpResponse))) venue.fill(id, "0.5");
      return method === "fetchOpenOrders" || method === "fetchClosedOrders"
        ? [PAIR, undefined, undefined, client.id === "kraken" ? params : {}]
        : [id, PAIR];
    }
  }
}

/** Paths of the recorded answer that the other one lacks or has as another kind of value; numbers may be text. */
function missing(recorded: unknown, answered: unknown, path: string): string[] {
  if (recorded === null || answered === null) return [];
  if (Array.isArray(recorded)) {
    if (!Array.isArray(answered)) return [`${path} is no list`];
    // ccxt has put one more value at the end of Kraken's last recorded trade.
    const row = recorded.every((one) => typeof one !== "object" || one === null);
    if (row) return recorded.length <= answered.length + 1 ? [] : [`${path} is too short`];
    return recorded.length === 0 ? [] : missing(recorded[0], answered[0], `${path}[0]`);
  }
  if (typeof recorded === "object") {
    if (typeof answered !== "object") return [`${path} is no object`];
    const [keys, own] = [Object.keys(recorded), Object.keys(answered as object)];
    // Keyed by ids or a pair: what is under the first counts.
    if (
      own.length > 0 &&
      keys.length > 0 &&
      keys.every((key) => /^[\dA-Z_-]+$/.test(key) && !own.includes(key))
    )
      return missing(Object.values(recorded)[0], Object.values(answered as object)[0], `${path}.*`);
    return keys.flatMap((key) =>
      key in (answered as object) || (keys.length > 1 && /^[XZ][A-Z]{3}$/.test(key))
        ? missing((recorded as never)[key], (answered as never)[key] ?? null, `${path}.${key}`)
        : [`${path}.${key}`],
    );
  }
  return typeof answered === "object" ? [`${path} is no plain value`] : [];
}
