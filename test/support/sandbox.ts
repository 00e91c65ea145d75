import { deepStrictEqual } from "node:assert/strict";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { dryBooks } from "../../src/adapters/libsql/dry-books.ts";
import { type SandboxSettings, sandboxBooks, setUpSandbox } from "../../src/adapters/libsql/sandbox-books.ts";
import { createStore } from "../../src/adapters/libsql/store.ts";
import { sandboxAggregator } from "../../src/adapters/sandbox/aggregator.ts";
import { createListings } from "../../src/adapters/sandbox/listings.ts";
import { marketTime } from "../../src/adapters/sandbox/market-clock.ts";
import { SANDBOX_TIMING, simulatedVenue } from "../../src/adapters/sandbox/venue.ts";
import type { Candles } from "../../src/candles/candles.ts";
import { connectDex, connectDryRuns, type ServiceDeps, timeLimit } from "../../src/compose/deps.ts";
import { connectCandles, connectReference } from "../../src/compose/reference.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { AppError } from "../../src/kernel/errors.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { KINDS } from "../../src/kinds.ts";
import { readExposure } from "../../src/limits/operations/exposures.ts";
import type { Exposure, Preview } from "../../src/model/proposal.ts";
import type { Call } from "../../src/operation.ts";
import { createOperations } from "../../src/operations.ts";
import type { Kind } from "../../src/ports/kind.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { createReportStore, type ReportDeps } from "../../src/report/store.ts";
import { openDatabase } from "../../src/storage/client/safe-client.ts";
import { createMetricsStore, type MetricsDeps } from "../../src/storage/metrics.ts";
import { connectionTo } from "./connection.ts";
import { heardLog } from "./heard.ts";
import { virtualLocal } from "./local.ts";
import { eachMigration, migrations } from "./migrations.ts";

export const EXCHANGES = ["mexc", "gateio", "bitget", "kraken"];
/** 2026-01-01T00:00:00Z */
export const START = 1_767_225_600_000;

export interface TestSandbox extends SandboxSettings {
  readonly candles?: ReadonlyMap<Pair, Candles>;
  readonly url?: string;
  readonly start?: number;
  readonly parts?: boolean;
  /** The machine's own clock in place of one that only moves when told. */
  readonly realTime?: boolean;
  readonly kinds?: readonly Kind[];
  /** Whether the database is of an earlier version, and needs the migrations since. */
  readonly isOld?: boolean;
  /** The clock that several share. */
  readonly clock?: ReturnType<typeof virtualLocal>;
}

/** The real store and the real sandbox on libSQL, with a clock that moves only when told. */
export async function testSandbox({
  candles = new Map(),
  url = "file::memory:",
  start = START,
  parts = true,
  realTime = false,
  clock: time = virtualLocal(start),
  kinds = KINDS,
  isOld = false,
  ...settings
}: TestSandbox = {}) {
  const client = url.startsWith("http") ? { url, fetch } : connectionTo(url);
  const context = await openDatabase({
    client,
    local: realTime ? nodeLocal : time.local,
    migrations: isOld ? eachMigration : migrations,
    kind: "sandbox",
    ...(realTime ? {} : { clock: time.now }),
  });
  const row = await setUpSandbox(
    context,
    settings,
    EXCHANGES.map((id) => ({ id, venue: id })),
  );
  const listings = createListings({ seed: row.seed, origin: row.origin, replays: candles });
  const books = sandboxBooks(context);
  const store = createStore(context);
  const venues = new Map<string, Venue>(
    EXCHANGES.map((exchange) => [
      exchange,
      simulatedVenue({
        account: { exchange, kind: "sandbox", host: "" },
        venue: exchange,
        books,
        clock: row,
        listings,
        rules: { fill: "touch", parts },
        timing: SANDBOX_TIMING,
        sleep: time.local.sleep,
      }),
    ]),
  );
  const venue = (exchange: string): Venue => {
    const found = venues.get(exchange);
    if (!found) throw new AppError("Invalid exchange", exchange);
    return found;
  };
  const exchanges = EXCHANGES.map((id) => ({
    id,
    venue: id,
    kind: "sandbox" as const,
    passphrase: id === "bitget",
    quotes: ["USDT"],
    configured: true,
  }));
  const inTime = timeLimit(240 * SECOND);
  const aggregator = sandboxAggregator({ ...row, market: venue("kraken") });
  const dry = connectDryRuns({ books: dryBooks(context), exchanges, venue, hostOf: () => "" });
  const dex = connectDex({ aggregator, exchanges, venue, inTime });
  const deps: MetricsDeps & ReportDeps = {
    kinds: kindsOf(kinds),
    exchanges,
    inTime,
    dex,
    dry,
    reference: connectReference({ exchanges, venue, dex, inTime }),
    candlesAt: connectCandles({ venue, inTime }),
    venue,
    venueOf: (account) =>
      account.kind === "dry"
        ? dry.venueOf(account)
        : account.kind === "sandbox"
          ? venues.get(account.exchange)
          : undefined,
    marketTime: (_account, now) => marketTime(row, now),
    store,
    metrics: createMetricsStore(context),
    reports: createReportStore(context),
    local: realTime ? nodeLocal : time.local,
    log: heardLog,
  };
  return { deps, store, venue, time, context, row };
}

/** Runs an operation by its name, as a surface does after it has read the input. */
export async function runOperation<T>(deps: ServiceDeps, name: string, input: object): Promise<T> {
  const operation = createOperations(EXCHANGES).find((one) => one.name === name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  return (await operation.run(deps, input, { actor: "test" })) as T;
}

/** What an operation answers, or would do, asked as a client asks: with its input's defaults. */
export function askingOf(deps: ServiceDeps, call: Call = { actor: "test" }) {
  const named = (name: string) => {
    const operation = createOperations(EXCHANGES).find((one) => one.name === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    return operation;
  };
  const prepared = (name: string, input: object, over: Partial<ServiceDeps>) => {
    const operation = named(name);
    if (operation.effect !== "trade") throw new Error(`${name} trades nothing`);
    return operation.prepare({ ...deps, ...over }, operation.input.parse(input), call);
  };
  return {
    async ask<T>(name: string, input: object = {}, over: Partial<ServiceDeps> = {}): Promise<T> {
      const operation = named(name);
      const answer = await operation.run({ ...deps, ...over }, operation.input.parse(input), call);
      // It has the fields of its schema, and no others.
      deepStrictEqual(operation.output.parse(answer), answer);
      return answer as T;
    },
    async preview(name: string, input: object, over: Partial<ServiceDeps> = {}): Promise<Preview> {
      return (await prepared(name, input, over)).preview();
    },
    async exposure(name: string, input: object, over: Partial<ServiceDeps> = {}): Promise<Exposure> {
      return readExposure((await prepared(name, input, over)).exposure);
    },
  };
}
