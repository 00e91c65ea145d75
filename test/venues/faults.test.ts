import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ccxtClient } from "./ccxt-client.ts";
import type { FaultKind } from "./faults.ts";
import { type EmulatedVenue, startVenue } from "./index.ts";

const PAIR = "BTC/USDT";

/** The same client on the exchange's own clock, so that none of its requests is late. */
const inTime = (client: ReturnType<typeof ccxtClient>, now: () => number) =>
  Object.assign(client, { milliseconds: now, seconds: () => Math.floor(now() / 1000) });

describe("a fault of an emulated exchange", () => {
  let venue: EmulatedVenue;
  let client: ReturnType<typeof ccxtClient>;
  const time = (millis = 30_000) =>
    fetch(`${venue.url}/api/v4/spot/time`, { signal: AbortSignal.timeout(millis) });
  const read = async (answer: Promise<Response>) => {
    try {
      const response = await answer;
      return [response.status, await response.text()];
    } catch (error) {
      return error instanceof Error ? error.name : error;
    }
  };
  beforeEach(async () => {
    venue = await startVenue("gateio");
    const keyless = ccxtClient("gateio", { url: venue.url });
    client = ccxtClient("gateio", venue);
    client.setMarkets(await keyless.loadMarkets());
  });
  afterEach(() => venue.close());

  it.each<[FaultKind, unknown]>([
    ["rate_limit", [429, expect.stringContaining("TOO_MANY_REQUESTS")]],
    ["server_error", [500, expect.stringContaining("SERVER_ERROR")]],
    ["bad_gateway", [502, expect.stringContaining("<html>")]],
    ["maintenance", [503, expect.stringContaining("maintenance")]],
    ["empty", [200, ""]],
    ["cut", [200, expect.not.stringContaining("}")]],
    ["truncated", "TypeError"],
    ["drop", "TypeError"],
    ["hang", "TimeoutError"],
    ["hang_body", "TimeoutError"],
  ])("affects one call of a client: %s", async (kind, met) => {
    venue.fail({ kind, route: "time", acts: true });
    // Asked it has to be by then, or the next one meets it.
    expect(await read(time(kind.startsWith("hang") ? 4000 : undefined))).toEqual(met);
    expect(await read(time())).toEqual([200, expect.stringContaining("server_time")]);
    expect(venue.count("time")).toBe(2);
  });

  it("applies to the given routes, number of calls and position", async () => {
    venue.fail({ kind: "server_error", route: ["time"], skip: 1, times: 2 });
    const statuses = [];
    for (let place = 0; place < 4; place++) statuses.push((await time()).status);
    expect(statuses).toEqual([200, 500, 500, 200]);
  });

  const create = () => client.createOrder(PAIR, "limit", "buy", 0.001, 59000);

  it("leaves an order behind only if it acts", async () => {
    venue.fail({ kind: "drop", route: "create" });
    await expect(create()).rejects.toThrow();
    expect(venue.open()).toHaveLength(0);
    venue.fail({ kind: "drop", route: "create", acts: true });
    await expect(create()).rejects.toThrow();
    expect(venue.open()).toHaveLength(1);
  });

  it("delays the view of an order", async () => {
    let now = Date.now();
    const slow = await startVenue("gateio", { clock: () => now });
    slow.late({ orders: 5000 });
    const late = inTime(ccxtClient("gateio", slow), () => now);
    late.setMarkets(client.markets);
    const { id } = await late.createOrder(PAIR, "limit", "buy", 0.001, 59000);
    expect(slow.open()).toHaveLength(1);
    expect(await late.fetchOpenOrders(PAIR)).toEqual([]);
    await expect(late.fetchOrder(String(id), PAIR)).rejects.toThrow("ORDER_NOT_FOUND");
    now += 5000;
    expect(await late.fetchOpenOrders(PAIR)).toHaveLength(1);
    await slow.close();
  });
});

describe("a request that acts late", () => {
  it.each(["mexc", "gateio", "bitget", "kraken"] as const)(
    "does nothing on %s once it has expired",
    async (name) => {
      let now = Date.now();
      const venue = await startVenue(name, { clock: () => now });
      const keyless = ccxtClient(name, { url: venue.url });
      const client = inTime(ccxtClient(name, venue), () => now);
      client.setMarkets(await keyless.loadMarkets());
      const expiring = {
        mexc: {},
        gateio: {},
        bitget: { requestTime: String(now), receiveWindow: "5000" },
        kraken: { deadline: new Date(now + 5000).toISOString() },
      }[name];
      // Gate's expiry is a header, which the product's own fetch adds.
      if (name === "gateio") client.headers = { "X-Gate-Exptime": String(now + 5000) };
      const create = () =>
        client.createOrder(PAIR, "limit", "buy", 0.001, 59000, expiring).catch(() => "lost");
      for (const [late, orders] of [
        [4000, 1],
        [6000, 1],
      ] as const) {
        venue.fail({ kind: "late", millis: late, route: "create" });
        expect(await create()).toBe("lost");
        now += late;
        venue.advance();
        expect(venue.orders()).toHaveLength(orders);
        now -= late;
      }
      await venue.close();
    },
  );
});
