import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { irisAggregator } from "../../src/adapters/iris.ts";
import { dexPrice, pricedPools } from "../../src/dex/price.ts";
import { ONE } from "../../src/kernel/decimal.ts";
import { VenueError } from "../../src/kernel/errors.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { type Answer, type Json, served, three } from "../support/dex.ts";
import { endsBefore } from "../support/ends-before.ts";
import { type Behaviour, type IrisPool, irisPool, irisServer } from "../venues/iris.ts";

const changed =
  (over: (pool: Json) => unknown): Answer =>
  (what, answer) =>
    what === "pools" ? { ...(answer as Json), data: ((answer as Json).data as Json[]).map(over) } : answer;
const withState = (over: Json) =>
  changed((pool) => ({ ...pool, state: { ...(pool.state as Json), ...over } }));
const pricedAt =
  (price: unknown): Answer =>
  (what, answer) =>
    what === "prices" ? (answer as Json[]).map((one) => ({ ...one, price })) : answer;

describe("a failing aggregator", () => {
  it.each<[string, Behaviour]>([
    ["a failure with status 200", { answer: () => ({ success: false, message: "secret upstream text" }) }],
    [
      "a failure of the prices alone",
      { answer: (what, answer) => (what === "prices" ? { success: false, message: "x" } : answer) },
    ],
    ["status 500", { status: 500 }],
    ["status 429", { status: 429 }],
    ["a redirect", { status: 302 }],
    ["a page of HTML", { text: "<html>" }],
    ["half an answer", { text: '{"data":[' }],
    ["an answer of another shape", { text: "[]" }],
    ["no answer", { hang: "before" }],
    ["headers alone", { hang: "after headers" }],
    ["a negative reserve", { answer: withState({ reserveA: -1 }) }],
    ["a reserve that is text", { answer: withState({ reserveB: "many" }) }],
    ["no value locked", { answer: withState({ tvl: null }) }],
    [
      "no decimals",
      { answer: changed((pool) => ({ ...pool, tokenB: { ...(pool.tokenB as Json), decimals: null } })) },
    ],
    [
      "99 decimals",
      { answer: changed((pool) => ({ ...pool, tokenB: { ...(pool.tokenB as Json), decimals: 99 } })) },
    ],
    ["a fee of 101 %", { answer: withState({ sellFeePercent: 101 }) }],
    ["a negative price", { answer: pricedAt(-1) }],
    ["a price that is text", { answer: pricedAt("2") }],
    [
      "a million pages",
      {
        answer: (what, answer) =>
          what === "pools" ? { ...(answer as Json), pagination: { totalPages: 1e6 } } : answer,
      },
    ],
  ])(
    "%s: fails with the operation's label within the time limit, and without upstream details",
    async (_what, behaviour) => {
      const { ask } = await served(three, behaviour);
      const [price, pools] = await endsBefore(5000, async () => [
        await ask("price/INDY"),
        await ask("pools/INDY"),
      ]);
      expect(price).toMatchObject({ status: 500, error: "Price fetch failed" });
      expect(pools).toMatchObject({ status: 500, error: "Discovery failed" });
      expect(JSON.stringify([price, pools])).not.toMatch(/secret|http|127\.0|html/i);
    },
  );

  it.each<[string, readonly IrisPool[], Behaviour, Partial<Deps>]>([
    ["no pools", [], {}, {}],
    ["only pools that are too small", [irisPool("INDY", { ada: 400, price: 2 })], {}, {}],
    ["pools without a price", three, { gaps: three.map(({ identifier }) => identifier) }, {}],
    ["null for every price", three, { answer: pricedAt(null) }, {}],
    [
      "no exchange that tells the price of ADA",
      three,
      {},
      {
        venue: () => {
          throw new Error("down");
        },
      },
    ],
  ])("%s: fails the price with its label, but not the pools", async (_what, pools, behaviour, over) => {
    const { ask } = await served(pools, behaviour, over);
    expect(await ask("price/INDY")).toMatchObject({ status: 500, error: "Price fetch failed" });
    expect((await ask("pools/INDY")).status).toBe(200);
  });

  it("cannot redirect a request elsewhere", async () => {
    const elsewhere = await irisServer(three);
    const { ask } = await served(three, { status: 307, location: `${elsewhere.url}/api/liquidity-pools` });
    expect((await ask("pools/INDY")).status).toBe(500);
    expect(elsewhere.requests).toEqual([]);
  });

  it("distinguishes no response from an unusable response", async () => {
    const { ask, behaviour } = await served(three, { answer: () => ({ success: false, message: "x" }) });
    expect((await ask("pools/INDY")).message).toContain("returned an error");
    behaviour.answer = () => ({ success: true });
    expect((await ask("pools/INDY")).message).toContain("unusable response");
  });

  it("has control characters stripped from its names", async () => {
    const { ask } = await served([
      irisPool("INDY", { ada: 1000, price: 1, dex: "Min\u202eswap\u0007\n", identifier: "a" }),
    ]);
    expect(await ask("pools/INDY")).toMatchObject({ pools: [{ dex: "Min swap" }] });
  });
});

/** A value that an answer should not have, at any of its places. */
const junk = fc.constantFrom<unknown>(
  null,
  undefined,
  -1,
  -1e-9,
  0,
  1e-30,
  1e30,
  1e308,
  0.1 + 0.2,
  2 ** 63,
  "1",
  "",
  "NaN",
  [],
  {},
  true,
  "__proto__",
);

function changedAt(value: unknown, path: readonly number[], put: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== "object" || value === null) return put;
  const keys = Object.keys(value);
  const key = keys[first % Math.max(1, keys.length)];
  if (key === undefined) return put;
  const inner = changedAt((value as Json)[key], rest, put);
  return Array.isArray(value)
    ? value.map((one, place) => (String(place) === key ? inner : one))
    : { ...value, [key]: inner };
}

describe("malformed responses", () => {
  it("are rejected, or result in pools with valid numbers only", async () => {
    const { url, behaviour } = await irisServer(three);
    const aggregator = irisAggregator({ url, timeoutMillis: 60_000 });
    const counts = { refused: 0, used: 0 };
    const path = fc.array(fc.nat(12), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("pools" as const, "prices" as const),
        path,
        junk,
        async (spoilt, place, put) => {
          behaviour.answer = (what, answer) => (what === spoilt ? changedAt(answer, place, put) : answer);
          const pools = await aggregator.pools("INDY").catch((error: unknown) => {
            if (error instanceof VenueError) return undefined;
            throw error;
          });
          if (!pools) return void counts.refused++;
          counts.used++;
          for (const { tvl, quoted, reserves, lot, fees } of pools) {
            for (const amount of [
              tvl,
              quoted ?? 0n,
              reserves.ada,
              reserves.token,
              fees.buy ?? 0n,
              fees.sell ?? 0n,
            ])
              expect(amount >= 0n && amount < 10n ** 12n * ONE * ONE).toBe(true);
            expect(lot > 0n && lot <= ONE).toBe(true);
          }
          const price = dexPrice("INDY", {
            pools: pricedPools(pools),
            ada: { price: ONE / 2n, exchanges: [] },
          });
          if (price) expect(price.price > 0n && price.confidence >= 0n && price.confidence <= ONE).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
    expect(Math.min(counts.refused, counts.used)).toBeGreaterThan(30);
  });
});
