import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { VenueName } from "../../src/config.ts";
import { ccxtClient } from "./ccxt-client.ts";
import { type EmulatedVenue, startVenue } from "./index.ts";

const FIXTURES: Record<VenueName, URL> = {
  mexc: new URL("../../../shared/fixtures/exchanges/mexc.json", import.meta.url),
  gateio: new URL("../../../shared/fixtures/exchanges/gate.json", import.meta.url),
  bitget: new URL("../../../shared/fixtures/exchanges/bitget.json", import.meta.url),
  kraken: new URL("../../../shared/fixtures/exchanges/kraken.json", import.meta.url),
};
const NAMES = Object.keys(FIXTURES) as VenueName[];
const here = existsSync(fileURLToPath(FIXTURES.mexc));

interface Recorded {
  readonly method: string;
  readonly description: string;
  readonly input: readonly unknown[];
  readonly httpResponse: unknown;
}
interface Fixture {
  readonly cases: readonly Recorded[];
  readonly derived: readonly Recorded[];
}

const PAIR = "LTC/USDT";

/** What a recorded answer has and an emulated one does not need: what only that order, or only margin, has. */
const LEFT_OUT = /\.(margin|leverage|trades|misc)$/;

describe.skipIf(!here).each(NAMES)("the emulated %s answers in the recorded shape", (name) => {
  const fixture: Fixture = here
    ? JSON.parse(readFileSync(FIXTURES[name], "utf8"))
    : { cases: [], derived: [] };
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
    [...fixture.cases, ...fixture.derived].map((one) => [`${one.method}: ${one.description}`, one] as const),
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
  { method, input, httpResponse }: Recorded,
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
    // Keyed by an id or a pair: the one under it counts.
    if (
      keys.length === 1 &&
      own.length >= 1 &&
      !own.includes(keys[0] as string) &&
      /[A-Z]/.test(keys[0] as string)
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
