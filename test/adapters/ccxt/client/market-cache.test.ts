import { expect, it } from "vitest";
import type { MarketCache } from "../../../../src/adapters/ccxt/client/ccxt.ts";
import { cachedMarkets } from "../../../../src/adapters/ccxt/client/market-cache.ts";
import { MINUTE } from "../../../../src/kernel/time.ts";

const PAIR = "BTC/USDT";
const ACCOUNT = "live:kraken:api.kraken.com";
const RATES = { maker: 1n, taker: 2n };

/** A keeper whose rows are a minute old, and every call to it. */
function kept(isEmpty = false) {
  const time = { now: 0 };
  const calls: string[] = [];
  const row = (name: string) => async (about: string, symbol: string) => {
    calls.push(`${name} ${about}${symbol ? ` ${symbol}` : ""}`);
    return isEmpty ? undefined : { value: `${name} ${calls.length}`, age: MINUTE };
  };
  const write = (name: string) => async (about: string) => void calls.push(`${name} ${about}`);
  const inner = {
    market: row("market"),
    listing: row("listing"),
    fees: row("fees"),
    kind: row("kind"),
    keepMarkets: write("keepMarkets"),
    spoil: write("spoil"),
    keepFees: write("keepFees"),
    keepKind: write("keepKind"),
    rights: async () => new Map(),
    keepRights: write("keepRights"),
  } as unknown as MarketCache;
  return { time, calls, markets: cachedMarkets(() => time.now)(inner) };
}

it("a stored row is read once in ten minutes, and grows older meanwhile", async () => {
  const { time, calls, markets } = kept();
  time.now = 1;
  expect(await markets.market("host", PAIR)).toEqual({ value: "market 1", age: MINUTE });
  time.now = 10 * MINUTE;
  expect(await markets.market("host", PAIR)).toEqual({ value: "market 1", age: 11 * MINUTE - 1 });
  time.now++;
  expect(await markets.market("host", PAIR)).toEqual({ value: "market 2", age: MINUTE });
  expect(calls).toHaveLength(2);
});

it("rows of other hosts, pairs and accounts are others", async () => {
  const { calls, markets } = kept();
  const reads = () => [
    markets.market("host", PAIR),
    markets.market("host", "ETH/USDT"),
    markets.market("other", PAIR),
    markets.listing("host"),
    markets.fees(ACCOUNT, PAIR),
    markets.kind(ACCOUNT),
  ];
  const first = await Promise.all(reads());
  expect(await Promise.all(reads())).toEqual(first);
  expect(new Set(first.map((row) => row?.value)).size).toBe(6);
  expect(calls).toHaveLength(6);
});

it("a row that does not exist is read again", async () => {
  const { calls, markets } = kept(true);
  for (let read = 1; read <= 2; read++) expect(await markets.kind(ACCOUNT)).toBeUndefined();
  expect(calls).toEqual([`kind ${ACCOUNT}`, `kind ${ACCOUNT}`]);
});

it.each([
  [
    "keepMarkets",
    (markets: MarketCache) => markets.keepMarkets("host", { listing: {}, markets: [] }),
    [0, 1],
  ],
  ["spoil", (markets: MarketCache) => markets.spoil("host", PAIR), [0, 1]],
  ["keepFees", (markets: MarketCache) => markets.keepFees(ACCOUNT, PAIR, RATES), [3]],
  ["keepKind", (markets: MarketCache) => markets.keepKind(ACCOUNT, { key: "", kind: "classic" }), [4]],
] as const)("%s writes, and what it changes is read again", async (name, write, changed) => {
  const { calls, markets } = kept();
  const reads = [
    () => markets.market("host", PAIR),
    () => markets.listing("host"),
    () => markets.market("host2", PAIR),
    () => markets.fees(ACCOUNT, PAIR),
    () => markets.kind(ACCOUNT),
  ];
  for (const read of reads) await read();
  await write(markets);
  expect(calls[5]).toMatch(new RegExp(`^${name} `));
  const again: number[] = [];
  for (const [index, read] of reads.entries()) {
    const before = calls.length;
    await read();
    if (calls.length > before) again.push(index);
  }
  expect(again).toEqual(changed);
});

it("the two thousand newest rows are remembered", async () => {
  const { calls, markets } = kept();
  const read = (index: number) => markets.market("host", `A${index}/USDT`);
  for (let index = 0; index <= 2000; index++) await read(index);
  await read(2000);
  await read(1);
  expect(calls).toHaveLength(2001);
  await read(0);
  expect(calls).toHaveLength(2002);
});
