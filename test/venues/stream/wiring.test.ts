/** The streams of a configured server on Node, on the emulated exchanges. */
import { expect, it, onTestFinished } from "vitest";
import { runtimeInMemory } from "../../../cli/host/node-runtime.ts";
import { parseConfig } from "../../../src/compose/config.ts";
import { createDeps } from "../../../src/compose/deps.ts";
import type { AccountRef } from "../../../src/model/account.ts";
import type { VenueName } from "../../../src/model/market.ts";
import type { Hint, StreamStatus } from "../../../src/ports/venue.ts";
import { heardLog } from "../../support/heard.ts";
import { startVenue } from "../index.ts";

const SYMBOL = "BTC/USDT";
const TOPICS = { orders: [SYMBOL], prices: [] } as const;

async function serverOn(name: VenueName) {
  const venue = await startVenue(name, { tier: "pro" });
  onTestFinished(() => venue.close());
  const config = parseConfig({
    EDGEMAKER_EXCHANGES: name,
    EDGEMAKER_VENUE_URLS: `${name}=${venue.url}`,
    [`${name.toUpperCase()}_API_KEY`]: venue.keys.key,
    [`${name.toUpperCase()}_SECRET`]: venue.keys.secret,
    ...(name === "kraken" ? { EDGEMAKER_TIERS: "kraken=pro" } : {}),
  });
  const deps = await createDeps(config, runtimeInMemory("file::memory:", config, heardLog));
  onTestFinished(() => deps.close());
  const account: AccountRef = { exchange: name, kind: "live", host: new URL(venue.url).host };
  return { venue, deps, account };
}

function listenTo({ deps, account }: Awaited<ReturnType<typeof serverOn>>) {
  const hints: Hint[] = [];
  const statuses: StreamStatus[] = [];
  const stream = deps.streams?.subscribe(account, TOPICS, {
    onHint: (hint) => hints.push(hint),
    onStatus: (status) => statuses.push(status),
  });
  onTestFinished(() => stream?.close());
  return { stream, hints, statuses };
}

it.each(["mexc", "gateio", "kraken"] as const)("a server hears its fills on %s", async (name) => {
  const server = await serverOn(name);
  const { hints, statuses } = listenTo(server);
  await expect.poll(() => statuses).toEqual([{ state: "live" }]);
  const { venue } = server;
  venue.fill(venue.own({ symbol: SYMBOL, side: "buy", price: "50000", amount: "0.01" }).id);
  await expect.poll(() => hints).toEqual([{ kind: "orders", symbol: SYMBOL }]);
});

it("kraken's tokens take turns with other signed calls", async () => {
  const server = await serverOn("kraken");
  const streams = [1, 2, 3].map(() => listenTo(server));
  const reads = [1, 2, 3].map(() => server.deps.venue("kraken").balances());
  await Promise.all(reads);
  for (const { statuses } of streams) await expect.poll(() => statuses).toEqual([{ state: "live" }]);
  // One nonce after the other, so each call was made once.
  expect([server.venue.count("streamKey"), server.venue.count("balance")]).toEqual([3, 3]);
});

it("other accounts, and the sandbox, have no streams", async () => {
  const server = await serverOn("mexc");
  for (const other of [{ kind: "dry" }, { exchange: "gateio" }, { host: "elsewhere.example" }] as const)
    expect(listenTo({ ...server, account: { ...server.account, ...other } }).stream).toBeUndefined();
  const config = parseConfig({ EDGEMAKER_SANDBOX: "1" });
  const sandbox = await createDeps(config, runtimeInMemory("file::memory:", config, heardLog));
  onTestFinished(() => sandbox.close());
  expect(sandbox.streams).toBeUndefined();
});
