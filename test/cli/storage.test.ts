import { join } from "node:path";
import { expect, it } from "vitest";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { HOUR, MINUTE } from "../../src/kernel/time.ts";
import { createLiquidityStore } from "../../src/liquidity/store/store.ts";
import { type Context, statement } from "../../src/storage/client/context.ts";
import { openDatabase } from "../../src/storage/client/safe-client.ts";
import { fillMids, liquidityMinutes } from "../../src/storage/tables/liquidity-tables.ts";
import { fills } from "../../src/storage/tables/trading-tables.ts";
import { edgemaker } from "../support/command.ts";
import { connectionTo } from "../support/connection.ts";
import { d } from "../support/grid.ts";
import { migrations } from "../support/migrations.ts";
import { tempFolder } from "../support/temp.ts";

const PAIR = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const ACCOUNT = "sandbox:kraken:";
const STORED_ROWS = 5000;
const AT_ONCE = 250;

const minuteRow = (minute: number): typeof liquidityMinutes.$inferInsert => {
  const side = [d("512.25"), d("1024.75"), d(`${4096 + (minute % 977)}.125`)] as const;
  const both = { bids: side, asks: side };
  return {
    ...PAIR,
    minute,
    samples: 1,
    ownBids: 3,
    ownAsks: 3,
    sources: 3,
    isCutShort: false,
    absence: null,
    offer: { parts: [{ spread: d("0.0041"), levels: 2, millis: 60_000 }], uncertain: 0 },
    spread: d("0.000123"),
    ownSpread: d("0.004001"),
    deviation: d("0.00031"),
    ownDepth: both,
    depth: both,
  };
};

const fillRow = (place: number, at: number): typeof fills.$inferInsert & typeof fillMids.$inferInsert => {
  const mid = d(`${60_000 + (place % 977)}.25`);
  return {
    account: ACCOUNT,
    symbol: PAIR.symbol,
    tradeId: `TQXJAB-ABCDE-${place}`,
    clientId: "one",
    at,
    strategy: "quote-kraken-BTC-USDT-1767225600000",
    side: "buy",
    price: mid,
    amount: d("0.0015"),
    notional: d("90.0375"),
    fees: [{ asset: "USDT", amount: d("0.234") }],
    superseded: false,
    mid,
    mid1s: mid,
    mid10s: mid,
    mid1m: mid,
    mid5m: mid,
    mid1h: mid,
  };
};

/** Returns by how many bytes the database grows. */
async function growth({ client }: Context, act: () => Promise<void>): Promise<number> {
  const size = async () => {
    const { rows } = await client.execute(
      "select (page_count - freelist_count) * page_size from pragma_page_count, pragma_freelist_count, pragma_page_size",
    );
    return Number(rows[0]?.[0]);
  };
  const before = await size();
  await act();
  return (await size()) - before;
}

it("prints what the samples and fills of a pair take, which is what the database grows by", async () => {
  const folder = tempFolder();
  const url = `file:${join(folder, "storage.db")}`;
  const client = connectionTo(url);
  const context = await openDatabase({ client, local: nodeLocal, migrations, kind: "sandbox" });
  const { db } = context;
  const now = Date.now();
  const each = async (put: (place: number) => Promise<unknown>) => {
    for (let first = 0; first < STORED_ROWS; first += AT_ONCE) await put(first);
  };
  const places = (first: number) => Array.from({ length: AT_ONCE }, (_, place) => first + place);
  const samples = await growth(context, () =>
    each((first) => {
      const rows = places(first).map((place) => minuteRow(Math.floor(now / MINUTE) - STORED_ROWS + place));
      return context.client.execute(statement(db.insert(liquidityMinutes).values(rows)));
    }),
  );
  await context.client.execute("pragma foreign_keys = off");
  const ofFills = await growth(context, () =>
    each(async (first) => {
      const rows = places(first).map((place) => fillRow(place, now - HOUR - (STORED_ROWS - place) * 1000));
      await context.client.execute(statement(db.insert(fills).values(rows)));
      await context.client.execute(statement(db.insert(fillMids).values(rows)));
    }),
  );
  const span = { from: now - 24 * 30 * HOUR, to: now + MINUTE };
  const stored = await createLiquidityStore(context).bytes(PAIR, ACCOUNT, span);
  context.client.close();
  expect(Math.abs(stored.samples / samples - 1)).toBeLessThan(0.2);
  expect(Math.abs(stored.fills / ofFills - 1)).toBeLessThan(0.2);
  const settings = { EDGEMAKER_LIQUIDITY: "kraken:BTC/USDT, mexc:ETH/USDT" };
  const { stdout } = await edgemaker(folder, ["doctor", "--db", url, "--sandbox"], settings);
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    `BTC/USDT on kraken stored about ${megabytes(stored.samples)} MB of samples and ${megabytes(stored.fills)} MB of fills in the last 30 days`,
  );
  expect(stdout).toContain("ETH/USDT on mexc stored about 0.0 MB");
});
