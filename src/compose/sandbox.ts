import {
  letPass,
  type Replay,
  refuseChanged,
  type SandboxRow,
  type SandboxSettings,
  sandboxBooks,
  setUpSandbox,
} from "../adapters/libsql/sandbox-books.ts";
import { sandboxAggregator } from "../adapters/sandbox/aggregator.ts";
import { createListings } from "../adapters/sandbox/listings.ts";
import { AS_PASSES_GO, marketTime } from "../adapters/sandbox/market-clock.ts";
import { SANDBOX_TIMING, type Simulation, simulatedVenue } from "../adapters/sandbox/venue.ts";
import type { Coverage } from "../candles/read.ts";
import { AppError, messageOf, SettingsError } from "../kernel/errors.ts";
import type { Pair } from "../kernel/pair.ts";
import { stampOf } from "../kernel/time.ts";
import type { AccountRef } from "../model/account.ts";
import type { Deps } from "../ports/deps.ts";
import type { Aggregator, CandleFile } from "../ports/venue.ts";
import type { Context } from "../storage/client/context.ts";
import type { Config } from "./config.ts";
import type { Runtime } from "./live.ts";

export type SandboxOptions = Omit<SandboxSettings, "replays"> & {
  readonly replays?: readonly { readonly symbol: Pair; readonly file: string }[] | undefined;
};

export interface Venues extends Pick<Deps, "venue" | "venueOf" | "marketTime" | "letPass"> {
  /** The simulated aggregator, if there is one. */
  readonly aggregator?: Aggregator;
}

export async function sandboxVenues(
  config: Config,
  context: Context,
  runtime: Runtime,
  options: SandboxOptions,
): Promise<Venues> {
  const request =
    options.replays && (await Promise.all(options.replays.map((replay) => readReplay(replay, runtime))));
  const start = request?.map(({ candles }) => candles.from).sort((a, b) => a - b)[0];
  const settings = {
    ...options,
    origin: options.origin ?? start,
    replays: request?.map(digested),
  };
  const row = await setUpSandbox(context, settings, config.exchanges);
  const replays = request ?? (await Promise.all(row.replays.map((replay) => readReplay(replay, runtime))));
  refuseChanged(row.replays, replays.map(digested));
  for (const { symbol, file, coverage } of replays)
    runtime.log("info", "candles are replayed", { symbol, file, ...covered(coverage) });
  const listings = createListings({
    ...row,
    replays: new Map(replays.map(({ symbol, candles }) => [symbol, candles])),
  });
  const books = sandboxBooks(context);
  const simulations = config.exchanges.map(({ id, venue }): Simulation => {
    const account: AccountRef = { exchange: id, kind: "sandbox", host: "" };
    const { sleep } = runtime.local;
    const rules = { fill: "touch", parts: true } as const;
    return { account, venue, books, listings, clock: row, rules, timing: SANDBOX_TIMING, sleep };
  });
  const [first] = simulations;
  if (!first) throw new SettingsError("EDGEMAKER_EXCHANGES is empty");
  const venues = new Map(simulations.map((one) => [one.account.exchange, simulatedVenue(one)]));
  // The pools are no exchange's, so its fault does not concern them.
  const time: typeof books.time = async (exchange) => ({ ...(await books.time(exchange)), fault: undefined });
  const market = simulatedVenue({ ...first, books: { ...books, time } });
  return {
    venue: (exchange) => found(venues.get(exchange), exchange),
    venueOf: ({ kind, exchange }) => (kind === "sandbox" ? venues.get(exchange) : undefined),
    ...sandboxTime(context, row, replays),
    aggregator: sandboxAggregator({ ...row, market }),
  };
}

/** Returns the market time of this process; if only passes advance it, until the end of the replay. */
function sandboxTime(
  context: Context,
  row: SandboxRow,
  replays: readonly ReplayedFile[],
): Pick<Deps, "marketTime" | "letPass"> {
  let { passed } = row;
  const ends = replays.map(({ coverage }) => coverage.until - row.origin);
  const maxTotal = ends.length === 0 ? Number.MAX_SAFE_INTEGER : Math.max(...ends);
  const now: Deps["marketTime"] = (_account, at) => marketTime({ ...row, passed }, at);
  if (row.speed !== AS_PASSES_GO) return { marketTime: now };
  return {
    marketTime: now,
    async letPass(by) {
      if (passed >= maxTotal) return false;
      passed = await letPass(context, { by, maxTotal });
      return true;
    },
  };
}

const covered = ({ bars, from, until, gaps, missingBars, duplicates, hash }: Coverage) => ({
  bars,
  from: stampOf(from),
  until: stampOf(until),
  gaps,
  missingBars,
  duplicates,
  hash,
});

interface ReplayedFile extends CandleFile {
  readonly symbol: Pair;
  readonly file: string;
}

const digested = ({ symbol, file, coverage }: ReplayedFile): Replay => ({
  symbol,
  file,
  digest: coverage.hash,
});

async function readReplay(
  { symbol, file }: { readonly symbol: Pair; readonly file: string },
  { readCandles }: Runtime,
): Promise<ReplayedFile> {
  try {
    return { symbol, file, ...(await readCandles(file, symbol)) };
  } catch (error) {
    throw new SettingsError(`${symbol} cannot be replayed: ${messageOf(error)}`, { cause: error });
  }
}

function found<T>(one: T | undefined, exchange: string): T {
  if (one === undefined) throw new AppError("Invalid exchange", `${exchange} is not configured`);
  return one;
}
