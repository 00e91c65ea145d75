import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, startBrowser } from "../support/browser.ts";
import { gridRequest } from "../support/requests.ts";
import { eventually, type Spawned, spawnServer } from "../support/server.ts";
import { newToken, signedIn } from "../support/signed-in.ts";
import { makeFolder } from "../support/temp.ts";
import { type EmulatedVenue, startVenue } from "../venues/index.ts";

const GRID = gridRequest({ exchange: "gateio", gridLevels: 10, orderSize: 100 });

/** What the page of a strategy asks for when something has happened. */
const livePaths = (id: string) => [
  "/api/v1/kill",
  `/api/v1/strategies/${id}`,
  `/api/v1/strategies/${id}/fills?limit=500`,
  `/api/v1/strategies/${id}/fills?limit=100`,
  `/api/v1/strategies/${id}/orders?limit=100`,
  `/api/v1/strategies/${id}/events?limit=100`,
];

/** Follows the stream as the page does, and asks anew for all that it shows at every message that is an event. */
async function openClient(server: Spawned, id: string, token: string) {
  const ended = new AbortController();
  const authorization = `Bearer ${token}`;
  const headers = { accept: "text/event-stream", authorization };
  const response = await server.ask("/api/v1/events", { headers, signal: ended.signal });
  let requestCount = 0;
  const follow = async () => {
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) {
      if (!/^event:/m.test(decoder.decode(part as Uint8Array, { stream: true }))) continue;
      for (const path of livePaths(id)) expect((await server.ask(path)).status).toBe(200);
      requestCount++;
    }
  };
  void follow().catch(() => {});
  return { requests: () => requestCount, close: () => ended.abort() };
}

describe.skipIf(!findChromium())("a hundred open pages (skipped without Chromium)", () => {
  const made = makeFolder();
  let venue: EmulatedVenue;
  let server: Spawned;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    venue = await startVenue("gateio");
    server = spawnServer(made.path, ["--tick-interval", "3600000"], {
      EDGEMAKER_EXCHANGES: "gateio",
      EDGEMAKER_VENUE_URLS: `gateio=${venue.url}`,
      GATEIO_API_KEY: venue.keys.key,
      GATEIO_SECRET: venue.keys.secret,
    });
    browser = await startBrowser();
    url = (await server.listens) ?? "";
  });
  afterAll(async () => {
    await browser?.close();
    await server?.kill("SIGTERM");
    await venue?.close();
    made.remove();
  });

  const tick = async (): Promise<readonly string[]> => {
    venue.resetCounts();
    await server.ask("/api/v1/internal/tick", { method: "POST", body: "{}" });
    return venue.observed.map(({ route }) => route).sort();
  };

  it("send no additional request to the exchange", async () => {
    const started = await server.ask("/api/v1/strategy/grid", { method: "POST", body: JSON.stringify(GRID) });
    const { id } = (await started.json()) as { id: string };
    await eventually(
      async () => (await (await server.ask(`/api/v1/strategy/grid/status?id=${id}`)).json()) as Status,
      ({ strategies: [grid] }) => (grid?.openOrders ?? 0) > 0,
    );
    const alone = new Set([...(await tick()), ...(await tick()), ...(await tick())]);
    const { page, context, errors } = await signedIn(browser, url, server.token);
    await page.goto(`${url}/#/strategy/${id}`);
    await page.getByRole("img", { name: /Candles of BTC\/USDT .* open orders/ }).waitFor();
    // Candles are asked for once, when a page opens.
    await eventually(
      async () => venue.observed.some(({ route }) => route === "candles"),
      (isRequested) => isRequested,
    );
    venue.resetCounts();
    // A token opens at most 20 streams.
    const tokens = await Promise.all(Array.from({ length: 5 }, () => newToken(made.path, "read", [])));
    const clients = await Promise.all(
      Array.from({ length: 99 }, (_, i) => openClient(server, id, tokens[i % tokens.length] ?? "")),
    );
    const allHaveRequested = (times: number) =>
      eventually(
        async () => clients.filter((client) => client.requests() >= times).length,
        (many) => many === 99,
      );
    await allHaveRequested(1);
    await server.ask("/api/v1/kill", { method: "POST", body: JSON.stringify({ on: true }) });
    await page.getByRole("button", { name: "Kill switch is on" }).waitFor();
    await allHaveRequested(2);
    expect(venue.observed).toEqual([]);
    // A pass asks what it has asked before, and each of it once.
    const beside = await tick();
    expect(beside.filter((route, at) => !alone.has(route) || beside.indexOf(route) !== at)).toEqual([]);
    expect(errors).toEqual([]);
    for (const client of clients) client.close();
    await context.close();
  });
});

interface Status {
  readonly strategies: readonly { readonly openOrders: number }[];
}
