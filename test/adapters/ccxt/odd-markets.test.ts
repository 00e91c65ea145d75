import { afterEach, expect, it } from "vitest";
import { VenueError } from "../../../src/kernel/errors.ts";
import type { VenueName } from "../../../src/model/market.ts";
import { emulatedExchanges } from "../../support/emulated.ts";
import { gridInput } from "../../support/requests.ts";
import { runOperation } from "../../support/sandbox.ts";

let close: () => Promise<void> = async () => {};
afterEach(() => close());

type Rows = readonly unknown[] | Readonly<Record<string, unknown>>;

const withRow = (rows: Rows, row: unknown): Rows =>
  Array.isArray(rows) ? [...rows, row] : { ...rows, ODDUSD: row };

/** The list with one row more, where the exchange has its rows. */
function withOddRow(body: unknown, row: unknown): unknown {
  if (Array.isArray(body)) return withRow(body, row);
  const list = body as Readonly<Record<string, Rows>>;
  const name = ["result", "data", "symbols"].find((one) => list[one] !== undefined);
  return name === undefined ? body : { ...list, [name]: withRow(list[name] as Rows, row) };
}

const ODD: readonly (readonly [string, unknown])[] = [
  ["is null", null],
  ["is a word", "maintenance"],
  ["has no names", { status: "online" }],
  [
    "has other values",
    { id: "A_B", fee: "none", fees: [[0, "none"]], fees_maker: 7, base: [], quote: {}, symbol: 1 },
  ],
];

it.each(
  (["kraken", "gateio", "bitget", "mexc"] as const).flatMap((name: VenueName) =>
    ODD.map(([what, row]) => [name, what, row] as const),
  ),
)("starts a grid on %s while a row of the market list %s", async (name, _what, row) => {
  const setup = await emulatedExchanges({ names: [name] });
  close = setup.close;
  const exchange = setup.exchange(name);
  exchange.alter("markets", (body: unknown) => withOddRow(body, row));
  await runOperation(setup.deps, "start_grid", gridInput({ exchange: name }));
  expect(exchange.open()).toHaveLength(4);
});

/** Every row of another pair, with 1e30 decimals. */
function withHugePrecision(body: unknown, key = ""): unknown {
  if (/precision|decimals/i.test(key)) return `1${"0".repeat(30)}`;
  if (
    typeof body !== "object" ||
    body === null ||
    JSON.stringify(body).match(/^{[^{]*:"(BTC_USDT|BTCUSDT|XBTUSDT)"/)
  )
    return body;
  if (Array.isArray(body)) return body.map((part) => withHugePrecision(part));
  return Object.fromEntries(
    Object.entries(body).map(([name, part]) => [name, withHugePrecision(part, name)]),
  );
}

it.each(["kraken", "gateio", "bitget", "mexc"] as const)(
  "starts a grid on %s while other pairs have 1e30 decimals",
  async (name) => {
    const setup = await emulatedExchanges({ names: [name] });
    close = setup.close;
    const exchange = setup.exchange(name);
    exchange.alter("markets", (body: unknown) => withHugePrecision(body));
    await runOperation(setup.deps, "start_grid", gridInput({ exchange: name }));
    expect(exchange.open()).toHaveLength(4);
  },
);

it.each(["kraken", "gateio", "bitget", "mexc"] as const)(
  "reads the same rules of each pair on %s beside an odd row",
  async (name) => {
    const rulesBeside = async (isOdd: boolean) => {
      const setup = await emulatedExchanges({ names: [name] });
      try {
        const exchange = setup.exchange(name);
        for (const asset of ["BTC", "ETH", "LTC"]) exchange.credit(asset, 4);
        if (isOdd) exchange.alter("markets", (body) => withOddRow(body, null));
        const { market } = setup.deps.venue(name);
        return [await market("BTC/USDT"), await market("ETH/USDT"), await market("LTC/USDT")];
      } finally {
        await setup.close();
      }
    };
    expect(await rulesBeside(true)).toEqual(await rulesBeside(false));
  },
);

it("reads no market by itself if one of gateio's lists cannot be read", async () => {
  let requests = 0;
  const setup = await emulatedExchanges({
    names: ["gateio"],
    fetch: async (url, init) => {
      if (!url.includes("/margin/currency_pairs")) return fetch(url, init);
      requests++;
      // The other list has arrived by then.
      await new Promise((resolve) => setTimeout(resolve, 100));
      throw new TypeError("fetch failed");
    },
  });
  close = setup.close;
  await expect(runOperation(setup.deps, "start_grid", gridInput({ exchange: "gateio" }))).rejects.toThrow(
    VenueError,
  );
  // One more try of a read, as for every other one.
  expect(requests).toBeLessThanOrEqual(2);
});
