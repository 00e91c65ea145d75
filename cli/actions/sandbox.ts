import { sandboxBooks } from "../../src/adapters/libsql/sandbox/sandbox-books.ts";
import { replayedFile, reset, shock } from "../../src/adapters/libsql/sandbox/sandbox-control.ts";
import { serverStore } from "../../src/adapters/libsql/stores/server-store.ts";
import { listingsOf } from "../../src/adapters/sandbox/catalog.ts";
import { deposit } from "../../src/adapters/sandbox/person.ts";
import { parseDecimal, text } from "../../src/kernel/decimal.ts";
import { isPair } from "../../src/kernel/pair.ts";
import { VENUES, type VenueName } from "../../src/model/venues.ts";
import { openDatabase } from "../../src/storage/client/open.ts";
import { shownUrl } from "../host/locations.ts";
import { createLog, nodeRuntime } from "../host/node-runtime.ts";
import { describeServer, runningServers } from "../host/running-servers.ts";
import { type CliSettings, readSettings } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { openDeps } from "./database/open.ts";

const sandboxSettings = (values: Values) => readSettings({ ...values, sandbox: true }, process.env);

const runtimeOf = ({ databaseUrl, config }: CliSettings) =>
  nodeRuntime(databaseUrl, config, createLog("error"));

/** Opens the sandbox's database, and creates it if it is missing. */
async function withSandbox<T>(
  values: Values,
  act: (opened: Awaited<ReturnType<typeof openDatabase>>, now: number) => Promise<T>,
): Promise<T> {
  const settings = sandboxSettings(values);
  const deps = await openDeps(settings);
  const now = deps.marketTime({ exchange: "", kind: "sandbox", host: "" }, await deps.store.now());
  deps.close();
  const context = await openDatabase({ ...runtimeOf(settings), migrations: [], kind: "sandbox" });
  try {
    return await act(context, now);
  } finally {
    context.client.close();
  }
}

export async function resetSandbox(values: Values): Promise<number> {
  const settings = sandboxSettings(values);
  const runtime = runtimeOf(settings);
  const context = await openDatabase({ ...runtime, kind: "sandbox" });
  const [server] = await runningServers({ store: serverStore(context) });
  if (server) {
    context.client.close();
    throw new Error(`a server at ${describeServer(server)} uses this sandbox; stop it first`);
  }
  await reset(context, runtime.migrations);
  context.client.close();
  const deps = await openDeps(settings);
  deps.close();
  return print(values, { reset: true, database: shownUrl(settings.databaseUrl) });
}

export async function depositInSandbox(
  values: Values,
  request: { exchange: string; asset: string; amount: string },
): Promise<number> {
  const amount = parseDecimal(request.amount);
  if (amount === undefined || amount === 0n)
    throw new UsageError("--amount must be a number with at most 18 decimals");
  if (!/^[A-Z0-9]{1,20}$/.test(request.asset))
    throw new UsageError("--asset must be upper-case letters and digits");
  const total = await withSandbox(values, (context) =>
    deposit(sandboxBooks(context), { ...request, amount }),
  );
  return print(values, { exchange: request.exchange, asset: request.asset, total: text(total) });
}

export async function shockSandbox(
  values: Values,
  { symbol, percent }: { symbol: string; percent: string },
): Promise<number> {
  const change = /^-?\d+(\.\d+)?$/.test(percent) ? Number(percent) : Number.NaN;
  if (!(change > -100 && change <= 1000))
    throw new UsageError("--percent must be a number above -100 and of at most 1000");
  const isListed = Object.keys(VENUES).some((venue) =>
    listingsOf(venue as VenueName).some((listing) => listing.symbol === symbol),
  );
  if (!isPair(symbol) || !isListed)
    throw new UsageError(`--symbol must be a listed pair, for example BTC/USDT; ${symbol} is not listed`);
  const at = await withSandbox(values, async (context, now) => {
    const file = await replayedFile(context, symbol);
    if (file !== undefined)
      throw new UsageError(
        `${symbol} is replayed from ${file}; choose another pair, or simulate it in another sandbox with --db`,
      );
    await shock(context, { symbol, factor: 1 + change / 100, at: now });
    return now;
  });
  return print(values, { symbol, percent: change, at: new Date(at).toISOString() });
}
