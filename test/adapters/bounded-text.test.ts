import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { MAX_RESPONSE_BYTES } from "../../src/adapters/bounded-text.ts";
import { transport } from "../../src/adapters/ccxt/client/transport.ts";
import { kraken } from "../../src/adapters/ccxt/exchanges/kraken.ts";
import { irisAggregator } from "../../src/adapters/iris.ts";
import { BODIES, type Body, bodyServer } from "../support/bodies.ts";
import { eventually } from "../support/server.ts";
import { adapterLink } from "../venues/adapter.ts";
import { type Listing, listingsOf } from "../venues/catalog.ts";
import { market } from "../venues/mexc.ts";

/** What is under way when the limit is met: buffers of the socket and of the inflation. */
const UNDER_WAY = 4 * 1024 * 1024;

async function started(kind: Body) {
  const server = await bodyServer(kind);
  onTestFinished(() => server.close());
  return server;
}

/** Counts the bytes of a body after inflation, as they are read. */
function counting() {
  const read = { bytes: 0 };
  const count = async (url: string, init: RequestInit) => {
    const response = await fetch(url, init);
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        read.bytes += part.byteLength;
        controller.enqueue(part);
      },
    });
    return new Response(response.body?.pipeThrough(counted) ?? null, { headers: response.headers });
  };
  return { read, count };
}

const wire = {
  quirks: kraken,
  clock: Date.now,
  paid: async () => undefined,
  mayLeave: () => true,
  headers: () => ({}),
  secrets: [],
  onDate: () => undefined,
};

describe("an endless exchange response", () => {
  it.each([
    ["gzip", 60_000, /too long/],
    ["endless", 60_000, /too long/],
    ["dripping", 400, /did not answer in time/],
  ] as const)("%s: stops at 4 MiB or at the time limit", async (kind, timeoutMillis, pattern) => {
    const server = await started(kind);
    const { read, count } = counting();
    const send = transport({ ...wire, base: server.url, fetch: count, timeoutMillis });
    const asking = send({ url: "https://api.kraken.com/0/public/Time", method: "GET" });
    await expect(asking).rejects.toThrow(pattern);
    await eventually(
      async () => server.sent.open,
      (open) => open === 0,
    );
    expect(read.bytes).toBeLessThan(MAX_RESPONSE_BYTES + UNDER_WAY);
    if (kind === "gzip") expect(server.packed).toBeLessThan(400 * 1024);
  });
});

describe("a list of markets", () => {
  const listOf = (server: { url: string }) =>
    adapterLink({ name: "mexc", url: server.url }, Date.now).catalog;

  it("is read far beyond the size of other responses", async () => {
    const [listing] = listingsOf("mexc").values();
    const symbols = Array.from({ length: 12_000 }, (_, number) =>
      market({ ...(listing as Listing), base: `COIN${number}` }),
    );
    const body = JSON.stringify({ symbols });
    expect(body.length).toBeGreaterThan(1.5 * MAX_RESPONSE_BYTES);
    const server = createServer((_, response) => response.end(body));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const list = listOf({ url: `http://127.0.0.1:${port}` });
    expect(await list.known("COIN11999/USDT")).toMatchObject({ id: "COIN11999USDT" });
  });

  it("ends too", async () => {
    const server = await started("gzip");
    await expect(listOf(server).known("BTC/USDT")).rejects.toThrow(/too long/);
  });
});

describe("an endless aggregator response", () => {
  it.each(BODIES)("%s: stops and closes its connection", async (kind) => {
    const server = await started(kind);
    const aggregator = irisAggregator({
      url: server.url,
      // Time enough to be asked, of which the one that drips takes all.
      timeoutMillis: kind === "dripping" ? 4000 : 60_000,
    });
    await expect(aggregator.pools("INDY")).rejects.toThrow(/aggregator did not respond/);
    expect(server.sent.answers).toBe(1);
    await eventually(
      async () => server.sent.open,
      (open) => open === 0,
    );
  });
});
