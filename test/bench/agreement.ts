import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decimal, mul } from "../../src/kernel/decimal.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import { DAY, dayOf, HOUR, MINUTE } from "../../src/kernel/time.ts";
import type { LiquidityReport } from "../../src/liquidity/agreement-page.tsx";
import { createAgreementStore, createLiquidityStore } from "../../src/liquidity/store/store.ts";
import { type AccountKey, accountKey } from "../../src/model/account.ts";
import { dateOf } from "../../src/model/limits.ts";
import { type Context, statement } from "../../src/storage/client/context.ts";
import { fillMids, strategyDays } from "../../src/storage/tables/liquidity-tables.ts";
import { fills } from "../../src/storage/tables/trading-tables.ts";
import { EXCHANGES, runOperation, testSandbox } from "../support/sandbox.ts";
import { type Figure, repeat } from "./figure.ts";
import { keepMinutes, longestTurn, millisOf } from "./liquidity.ts";

const DAYS = 364;
const SYMBOLS = ["BTC/USDT", "ETH/USDT", "SOL/USDT"] as const;
const FILLS_A_DAY = 25;
const FILLS = EXCHANGES.length * SYMBOLS.length * DAYS * FILLS_A_DAY;

/** A year's report of three pairs on four exchanges: CPU time, and how long anybody else would have waited. */
export async function agreementFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-bench-"));
  const box = await testSandbox({ url: `file:${join(folder, "agreement.db")}`, realTime: true });
  const { context } = box;
  const [store, agreements] = [createLiquidityStore(context), createAgreementStore(context)];
  const deps = {
    ...box.deps,
    marketTime: (_account: unknown, at: number) => at,
    liquidity: { store, pairs: [], agreements },
  };
  const today = dayOf(Date.now());
  const days = { from: dateOf(today - DAYS), to: dateOf(today - 1) };
  const markets = EXCHANGES.flatMap((exchange) => SYMBOLS.map((symbol) => ({ exchange, symbol })));
  await keepMinutes(context, { first: today - 1, to: today });
  const request = { agreement: "year", ...days };
  await runOperation(deps, "create_agreement", {
    agreement: "year",
    counterparty: "Foundation",
    from: days.from,
    markets: markets.map(({ exchange, symbol }) => `${exchange}:${symbol} uptime=95 spread=1`).join(", "),
  });
  await runOperation(deps, "get_liquidity_report", request);
  await copyDay(context, today, markets);
  for (const [index, market] of markets.entries()) {
    const account = accountKey(deps.venue(market.exchange).account);
    await keepFills(context, { today, account, symbol: market.symbol, strategy: `strategy-${index}` });
  }
  const name = `a report of ${markets.length} markets over ${DAYS} days, with ${FILLS.toLocaleString("en")} fills`;
  const report = (cost: boolean, details = true) =>
    runOperation<LiquidityReport>(deps, "get_liquidity_report", { ...request, cost, details });
  const counted = (await report(true)).costs?.[0]?.fills;
  if (counted !== FILLS) throw new Error(`the report counts ${counted} fills of ${FILLS}`);
  const figures: Figure[] = [
    {
      name: `${name}: CPU time`,
      unit: "ms",
      runs: await repeat(() => millisOf(() => report(true))),
      goal: "≤ 1000",
    },
    {
      name: "the same without daily figures",
      unit: "ms",
      runs: await repeat(() => millisOf(() => report(true, false))),
    },
    { name: "the same without P&L", unit: "ms", runs: await repeat(() => millisOf(() => report(false))) },
    {
      name: "the same without daily figures and P&L",
      unit: "ms",
      runs: await repeat(() => millisOf(() => report(false, false))),
    },
    {
      name: "longest wait of other requests meanwhile",
      unit: "ms",
      runs: await repeat(() => longestTurn(() => report(true))),
      goal: "≤ 50",
    },
  ];
  context.client.close();
  rmSync(folder, { recursive: true, force: true });
  return figures;
}

interface Market {
  readonly exchange: string;
  readonly symbol: string;
}

/** Copies the added-up day to every market and day. */
async function copyDay({ client }: Context, today: number, markets: readonly Market[]): Promise<void> {
  for (const { exchange, symbol } of markets)
    await client.execute(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${DAYS - 1}) insert or replace into liquidity_days select '${exchange}', '${symbol}', day - i, version, sums, hash from liquidity_days, n where day = ${today - 1} and exchange = 'kraken' and symbol = 'BTC/USDT'`,
    );
}

interface Filled {
  readonly today: number;
  readonly account: AccountKey;
  readonly symbol: Pair;
  readonly strategy: string;
}

/** Stores a first day of fills with their mids, and repeats it every day. */
async function keepFills({ client, db }: Context, filled: Filled): Promise<void> {
  const { strategy, account } = filled;
  const rows = fillRows(filled);
  // The bench has no orders.
  await client.execute("pragma foreign_keys = off");
  await client.execute(statement(db.insert(fills).values(rows)));
  await client.execute(statement(db.insert(fillMids).values(rows.map(midRow))));
  const days = dayRows(filled);
  for (let at = 0; at < days.length; at += 50)
    await client.execute(statement(db.insert(strategyDays).values(days.slice(at, at + 50))));
  await repeatDaily(client, "fills", `strategy = '${strategy}'`);
  await repeatDaily(client, "fill_mids", `trade_id like '${strategy}-%' and account = '${account}'`);
}

function fillRows({ today, account, symbol, strategy }: Filled) {
  const first = (today - DAYS) * DAY + 10 * MINUTE;
  return Array.from({ length: FILLS_A_DAY }, (_, place) => {
    const amount = decimal("0.00123") + BigInt(place) * decimal("0.00001");
    const price = decimal("59000.12") + BigInt(place) * decimal("1.17");
    const at = first + (place * 20 * HOUR) / FILLS_A_DAY;
    return {
      account,
      symbol,
      strategy,
      tradeId: `${strategy}-${place}`,
      clientId: strategy,
      at,
      side: place % 2 === 0 ? ("buy" as const) : ("sell" as const),
      price,
      amount,
      notional: mul(price, amount, "down"),
      fees: [],
      superseded: false,
    };
  });
}

function midRow({ account, symbol, at, tradeId, price }: ReturnType<typeof fillRows>[number]) {
  const mid = price + decimal("3.145");
  const later = { mid1s: mid + 10n, mid10s: mid + decimal("1.5"), mid1m: mid, mid5m: mid, mid1h: null };
  return { account, symbol, at, tradeId, mid, ...later };
}

function dayRows({ today, account, symbol, strategy }: Filled) {
  const totals = (day: number) => ({
    total: decimal(`${day}.123456`),
    realized: decimal(`${day}.1`),
    fees: decimal(`${day}.01`),
    cycles: day,
    filledOrders: day * FILLS_A_DAY,
    symbol,
  });
  return Array.from({ length: DAYS }, (_, place) => {
    const day = today - DAYS + place;
    return {
      strategy,
      day,
      account,
      opened: totals(place),
      latest: totals(place + 1),
      from: day * DAY,
      to: (day + 1) * DAY - 1,
      isFinal: true,
      upMillis: DAY,
      inRangeMillis: DAY,
      incidents: 0,
    };
  });
}

async function repeatDaily(client: Context["client"], table: string, where: string): Promise<void> {
  const { rows } = await client.execute(`select name from pragma_table_info('${table}')`);
  const columns = rows.map(({ name }) => {
    if (name === "trade_id") return "trade_id || '-' || i";
    return name === "at" ? `at + i * ${DAY}` : String(name);
  });
  await client.execute(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${DAYS - 1}) insert into ${table} select ${columns.join()} from ${table}, n where ${where}`,
  );
}
