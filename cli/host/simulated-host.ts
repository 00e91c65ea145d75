/** A process in the sandbox: a database in memory, a simulated clock, and one exchange. */

import { createStore } from "../../src/adapters/libsql/store.ts";
import { minuteCandles, type StrategyPast } from "../../src/backtest/position/testing.ts";
import { hashOf } from "../../src/candles/hash.ts";
import { coverageOf } from "../../src/candles/read.ts";
import { type Config, parseConfig } from "../../src/compose/config.ts";
import { connectCandles, connectReference } from "../../src/compose/reference.ts";
import { sandboxVenues } from "../../src/compose/sandbox.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { VenueError } from "../../src/kernel/errors.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import { MINUTE, type Millis } from "../../src/kernel/time.ts";
import { kindsWith } from "../../src/kinds.ts";
import { VENUES } from "../../src/model/market.ts";
import type { StrategyDefinitions } from "../../src/ports/definition.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Dex, ExchangeInfo } from "../../src/ports/venue.ts";
import type { Local } from "../../src/ports/within-time.ts";
import { openDatabase } from "../../src/storage/client/safe-client.ts";
import { fileConnection, readMigrations } from "./file-connection.ts";
import { nodeLocal } from "./process/node-local.ts";

/** 2026-01-01. */
export const SIMULATION_START = 1_767_225_600_000;
/** Time between passes: longer than a lease, so the pass after a crash can take it. */
export const INTERVAL = MINUTE;

interface SimulatedPrices {
  readonly prices?: StrategyPast["prices"];
  readonly seed?: number;
}

export interface Clock {
  now: Millis;
}

interface SimulatedHost {
  /** Opens the database as a started process does: at first a new one, then the same one. */
  readonly open: (definitions: StrategyDefinitions) => Promise<Deps>;
}

export function simulatedHost(
  { prices, seed = 1 }: SimulatedPrices,
  { symbol, clock }: { readonly symbol: Pair; readonly clock: Clock },
): SimulatedHost {
  const settings = parseConfig({ EDGEMAKER_SANDBOX: "true" });
  const client = { connection: fileConnection(":memory:"), identity: () => undefined };
  const migrations = readMigrations();
  const local: Local = { ...nodeLocal, monotonic: () => clock.now, sleep: async (by) => elapse(clock, by) };
  const options = {
    seed,
    origin: SIMULATION_START,
    speed: 1,
    ...(prices ? { replays: [{ symbol, file: "prices" }] } : {}),
  };
  let isNew = true;
  return {
    async open(definitions) {
      const context = await openDatabase({
        client,
        local,
        kind: "sandbox",
        clock: () => clock.now,
        migrations: isNew ? migrations : [],
        isChecked: !isNew,
      });
      const runtime = { client, migrations, local, log: () => undefined };
      const venues = await sandboxVenues(
        settings,
        context,
        { ...runtime, readCandles: () => replayed(prices ?? [], symbol) },
        options,
      );
      isNew = false;
      const exchanges = settings.exchanges.map(exchangeInfo);
      const parts = {
        exchanges,
        venue: venues.venue,
        inTime: <T>(_who: string, read: () => Promise<T>) => read(),
        dex: noChain,
      };
      return {
        ...venues,
        ...parts,
        local,
        log: runtime.log,
        interval: INTERVAL,
        store: createStore(context),
        kinds: kindsOf(kindsWith(definitions)),
        reference: connectReference(parts),
        candlesAt: connectCandles(parts),
      };
    },
  };
}

function elapse(clock: Clock, by: Millis): void {
  clock.now += by;
}

const exchangeInfo = ({ id, venue }: Config["exchanges"][number]): ExchangeInfo => ({
  id,
  venue,
  kind: "sandbox",
  configured: true,
  passphrase: VENUES[venue].passphrase,
  quotes: VENUES[venue].quotes,
});

const noDex = async (): Promise<never> => {
  throw new VenueError("unlisted", "the chain is not simulated here");
};

const noChain: Dex = { price: noDex, pools: noDex, market: noDex };

async function replayed(prices: StrategyPast["prices"], symbol: Pair) {
  const candles = minuteCandles(prices, { symbol, tick: decimal("0.00000001") });
  const hash = await hashOf(candles);
  return { candles, coverage: coverageOf(candles, { duplicates: 0, refusedRows: 0, refused: [], hash }) };
}
