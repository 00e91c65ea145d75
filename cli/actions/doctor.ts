import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { basename } from "node:path";
import type * as z from "zod";
import { createDeps, type Live } from "../../src/compose/deps.ts";
import { mayWithdrawText, type Runtime } from "../../src/compose/live.ts";
import type { GridStatusShape } from "../../src/grid/schema/shapes.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { plainText, pluralize } from "../../src/kernel/plain-text.ts";
import { DAY, dayOf, formatSpan, SECOND } from "../../src/kernel/time.ts";
import { promisedPairs } from "../../src/liquidity/operations/report.ts";
import { withoutRules } from "../../src/liquidity/operations/sample.ts";
import type { LiquidityDeps } from "../../src/liquidity/store/store.ts";
import { accountKey } from "../../src/model/account.ts";
import { feeRatesText } from "../../src/model/market.ts";
import { createOperations } from "../../src/operations.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { StoreDeps } from "../../src/ports/kind.ts";
import type { ExchangeInfo } from "../../src/ports/venue.ts";
import { pendingMigrations } from "../../src/storage/client/migrate.ts";
import { safeClient } from "../../src/storage/client/safe-client.ts";
import { configFile, databaseFile, dataDirectory, shownUrl } from "../host/directories.ts";
import {
  createLog,
  databaseFilesOf,
  folderOpenToAll,
  openTo,
  runtimeAsIs,
  runtimeInMemory,
} from "../host/node-runtime.ts";
import { nodeLocal } from "../host/process/node-local.ts";
import { describeServer, findServer, runningServers, type ServerFile } from "../host/running-servers.ts";
import {
  type CliSettings,
  describeFolder,
  lackingFolder,
  portFlag,
  readSettings,
  wholeFlag,
} from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";
import { fail } from "../terminal/refused.ts";
import { terminalColumns, wrap } from "../terminal/style.ts";
import { type Check, compareExchanges, type Finding } from "./exchange-shapes.ts";
import { PLANS, PRICES_OF, type PricePlan, type Unit } from "./plans.ts";
import { openAnswering, remoteOf } from "./run-operation.ts";

/** Runs all checks, whatever the others find. Exit code 1 if one fails. */
export async function runDoctor(values: Values): Promise<number> {
  if (values.exchanges) return doctorOfExchanges(values);
  const checks: Check[] = [runtime(), privacy(configFile(process.env), "settings")];
  const settings = await tryCheck(checks, "settings", async () => {
    const read = readSettings(values, process.env);
    return [
      read,
      `${pluralize(read.config.exchanges.length, "exchange")}, ${read.config.sandbox ? "simulated" : "live"}`,
    ];
  });
  if (settings) {
    checks.push(await portFree(values, settings));
    const { config, databaseUrl } = settings;
    for (const file of databaseFilesOf(databaseFile(databaseUrl) ?? "")) {
      const check = existsSync(file) ? privacy(file, basename(file)) : undefined;
      if (check) checks.push(check);
    }
    checks.push(...folderCheck(databaseFile(databaseUrl)));
    const deps = await database(checks, settings, values);
    if (deps) {
      checks.push(
        ...(await serversElsewhere(deps, checks)),
        ...(await storedClock(deps)),
        ...(await storageChecks(deps)),
      );
      const troubles = (await deps.live?.check.troubles()) ?? new Map();
      const each = deps.exchanges.map((info) =>
        exchange(deps, info, { named: config.venueUrls.get(info.id), unopened: troubles.get(info.id) }),
      );
      checks.push(...(await Promise.all(each)).flat());
      deps.close();
    }
  }
  printChecks(values, checks);
  return checks.some(({ finding }) => finding === "bad") ? 1 : 0;
}

async function doctorOfExchanges(values: Values): Promise<number> {
  const { exchanges, venueUrls } = readSettings(values, process.env).config;
  const compared = exchanges.map(({ id, venue }) => ({ id, venue, address: venueUrls.get(id) }));
  const { checks, code } = await compareExchanges(compared);
  printChecks(values, checks);
  return code;
}

const printChecks = (values: Values, checks: readonly Check[]) =>
  process.stdout.write(values.json ? `${JSON.stringify({ checks }, null, 2)}\n` : checksText(checks));

const HEADINGS = { bad: "problem", note: "note", ok: "ok" } as const;

/** Formats problems first, then notes, each detail once, and the names of everything that is in order. */
function checksText(checks: readonly Check[]): string {
  const rows = (["bad", "note"] as const).flatMap((finding) => {
    const found = new Map<string, string[]>();
    for (const { check, detail } of checks.filter((check) => check.finding === finding))
      found.set(detail, [...(found.get(detail) ?? []), check]);
    return [...found].map(([detail, same]) => [HEADINGS[finding], `${same.join(", ")}: ${detail}`]);
  });
  const passed = checks.filter(({ finding }) => finding === "ok").map(({ check }) => check);
  const lines = [...rows, [HEADINGS.ok, passed.join(", ")]].flatMap(([heading = "", output = ""]) =>
    wrap(output, terminalColumns() - 9).map((line, at) => `${(at === 0 ? heading : "").padEnd(9)}${line}\n`),
  );
  return lines.join("");
}

/** Checks an existing database without changing it; without one, exchanges are checked with a database in memory. */
async function database(checks: Check[], { config, databaseUrl, sandbox }: CliSettings, values: Values) {
  const log = createLog("error");
  const check = "database";
  const file = databaseFile(databaseUrl);
  const inMemory = (detail: string) => {
    checks.push(checked(check, "note", detail));
    return createDeps(config, runtimeInMemory(databaseUrl, config, log), sandbox);
  };
  const lacking = lackingFolder(values, process.env);
  if (lacking) {
    checks.push(checked(check, "bad", describeFolder(lacking)));
    return undefined;
  }
  if (file && !existsSync(file)) return inMemory(`${file} does not exist yet; edgemaker serve creates it`);
  const runtime = runtimeAsIs(databaseUrl, config, log);
  const pending = await missingMigrations(checks, runtime);
  if (pending === undefined) return undefined;
  if (pending > 0)
    return inMemory(
      `${shownUrl(databaseUrl)} lacks ${pending} migrations: edgemaker serve or db migrate applies them`,
    );
  return tryCheck(checks, check, async () => {
    const opened = await createDeps(config, { ...runtime, putsKeysInOrder: true }, sandbox);
    await opened.store.ready();
    return [opened, `${shownUrl(databaseUrl)} is ready and migrated`];
  });
}

/** Returns the number of missing migrations; undefined if the database cannot be read, which is recorded. */
async function missingMigrations(
  checks: Check[],
  { client, migrations }: Runtime,
): Promise<number | undefined> {
  // Use the file's connection directly: setting it up for work would change the file.
  const request = "connection" in client ? client.connection : await safeClient(client, nodeLocal);
  try {
    const pending = await pendingMigrations({ client: request }, migrations);
    if (pending.length > 0) request.close();
    return pending.length;
  } catch (error) {
    request.close();
    checks.push(checked("database", "bad", messageOf(error)));
    return undefined;
  }
}

/** Runs a check and records its result; undefined if it failed, which is recorded too. */
async function tryCheck<T>(
  checks: Check[],
  check: string,
  act: () => Promise<readonly [T, string, finding?: Finding]>,
): Promise<T | undefined> {
  try {
    const [result, detail, finding = "ok"] = await act();
    checks.push(checked(check, finding, detail));
    return result;
  } catch (error) {
    checks.push(checked(check, "bad", messageOf(error)));
    return undefined;
  }
}

function runtime(): Check {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isEnough = major >= 24 || (major === 22 && minor >= 15);
  const detail = `Node ${process.versions.node} on ${process.platform} ${process.arch}${isEnough ? "" : "; 22.15, 24 or later is required"}`;
  return checked("runtime", isEnough ? "ok" : "bad", detail);
}

/** Checks that only the owner can read a file with secrets. */
function privacy(file: string, what: string): Check {
  const check = `${what} file`;
  if (!existsSync(file))
    return checked(check, "note", `${file} does not exist yet; edgemaker setup creates it`);
  const mode = openTo(file);
  return mode !== undefined
    ? checked(check, "bad", `${file} can be read by other users (mode ${mode}); run chmod 600 on it`)
    : checked(check, "ok", `only you can read ${file}`);
}

/** Checks that only the owner can add files to a folder; returns nothing if so. */
function folderCheck(file: string | undefined): readonly Check[] {
  const open = file === undefined ? undefined : folderOpenToAll(file);
  if (open === undefined) return [];
  const detail = `everybody can write to ${open}, and replace the database in it; run chmod o-w on it, or choose another database with --db`;
  return [checked("database folder", "bad", detail)];
}

/** Checks whether the database's clock was ahead when something was stored. */
async function storedClock({ store }: StoreDeps): Promise<readonly Check[]> {
  const lead = await store.clockLead();
  if (lead === 0) return [];
  const detail = `the database's clock was ${formatSpan(lead)} ahead for a while; nothing waits for the times it stored. Check that the clock is synchronized`;
  return [checked("database clock", "note", detail)];
}

/** Returns how much each sampled pair stored in the last 30 days. */
async function storageChecks(deps: LiquidityDeps): Promise<readonly Check[]> {
  const { liquidity, store, venue } = deps;
  if (!liquidity) return [];
  const now = await store.now();
  const pairs = withoutRules(await promisedPairs(deps, dayOf(now)));
  const sizes = pairs.map(async (pair) => {
    const { account } = venue(pair.exchange);
    const span = { from: now - 30 * DAY, to: now };
    const { samples, fills } = await liquidity.store.bytes(pair, accountKey(account), span);
    const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
    const detail = `${pair.symbol} on ${pair.exchange} stored about ${megabytes(samples)} of samples and ${megabytes(fills)} of fills in the last 30 days`;
    return checked("storage", "note", detail);
  });
  return Promise.all(sizes);
}

async function exchange(
  deps: Deps & { readonly live?: Live },
  info: ExchangeInfo,
  { named, unopened }: { readonly named: string | undefined; readonly unopened: string | undefined },
): Promise<Check[]> {
  const venue = deps.venue(info.id);
  const checks: Check[] = [];
  await tryCheck(checks, info.id, async () => {
    const { last } = await venue.ticker("BTC/USDT");
    return [last, "returns market data"];
  });
  await tryCheck(checks, `${info.id} fees`, async () => {
    const market = await venue.market("BTC/USDT");
    return [market, feeRatesText(market), market.assumedFees ? "note" : "ok"];
  });
  if (info.kind === "live") checks.push(await checkClock(info.id, named ?? `https://${venue.account.host}`));
  const { live } = deps;
  const check = `${info.id} keys`;
  if (unopened !== undefined) return [...checks, checked(check, "bad", unopened)];
  if (!info.configured) return [...checks, checked(check, "note", "none; add them with edgemaker setup")];
  await tryCheck<unknown>(checks, check, async () => {
    if (!live) return [await venue.balances(), "simulated"];
    const { assets, unreadable, mayWithdraw, kind } = await live.venues.checkKeys(info.id);
    for (const { asset, reason } of unreadable)
      checks.push(
        checked(
          `${info.id} balances`,
          "bad",
          `${plainText(reason)}; orders that need ${plainText(asset)} wait`,
        ),
      );
    if (mayWithdraw) checks.push(checked(`${info.id} withdrawals`, "bad", mayWithdrawText(info.id)));
    const account = kind === undefined ? "" : ` by a ${kind} account`;
    return [assets, `accepted${account}; ${assets} assets; ${RIGHTS[String(mayWithdraw)]}`];
  });
  return checks;
}

const RIGHTS: Readonly<Record<string, string>> = {
  true: "they can withdraw",
  false: "they cannot withdraw",
  undefined: "the exchange does not show whether they can withdraw",
};

const MAX_CLOCK_SKEW_MS = 2 * SECOND;

/** Compares this machine's clock with the Date header of an exchange's response, which has whole seconds. */
async function checkClock(id: string, address: string): Promise<Check> {
  const check = `${id} clock`;
  try {
    const leftAt = Date.now();
    const response = await fetch(address, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(5000),
    });
    const value = Date.parse(response.headers.get("date") ?? "");
    if (Number.isNaN(value)) return checked(check, "note", "the exchange does not report its time");
    const skew = Math.max(leftAt - (value + SECOND), value - Date.now(), 0);
    return skew > MAX_CLOCK_SKEW_MS
      ? checked(check, "bad", `this machine's clock is ${Math.round(skew / SECOND)} s off; synchronize it`)
      : checked(check, "ok", "accurate");
  } catch (error) {
    return checked(check, "bad", `no response from ${address}: ${messageOf(error)}`);
  }
}

const checked = (check: string, finding: Finding, detail: string): Check => ({
  check,
  finding,
  detail,
});

/** Reports the server of this database, or whether its port is free. */
async function portFree(values: Values, { databaseUrl }: CliSettings): Promise<Check> {
  const port = portFlag(values);
  const server = await findServer(dataDirectory(process.env), databaseUrl);
  if (server) return readyOf(server);
  const isFree = await new Promise<boolean>((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
  return isFree
    ? checked("port", "ok", `${port} is free`)
    : checked("port", "note", `${port} is in use; choose another one with --port`);
}

/** Reports the servers of a database that another user started, or that run on another machine. */
async function serversElsewhere(deps: Deps, checks: readonly Check[]): Promise<readonly Check[]> {
  const servers = (await runningServers(deps)).map((server) => `runs at ${describeServer(server)}`);
  return servers
    .filter((server) => !checks.some(({ detail }) => detail.startsWith(server)))
    .map((server) =>
      checked("server", "note", `${server}; only its user can read its state, on its machine`),
    );
}

/** Reads a running server's own state: only the server knows whether its database file was replaced. */
export async function readyOf({ url, pid, token }: ServerFile): Promise<Check> {
  const runs = `runs at ${url} (process ${pid})`;
  try {
    const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(5000), redirect: "error" });
    if (answer.ok) return checked("server", "ok", `${runs}${await streamsText({ url, token })}`);
    const { message } = (await answer.json()) as { message?: string };
    return checked("server", "bad", `${runs} but is not ready: ${plainText(message ?? "")}`);
  } catch (error) {
    return checked("server", "bad", `${runs} but does not respond: ${messageOf(error)}`);
  }
}

/** Describes the streams of a running server by their metrics; empty without streams. */
async function streamsText({ url, token }: Pick<ServerFile, "url" | "token">): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const metrics = await fetch(`${url}/metrics`, { headers, signal: AbortSignal.timeout(5000) })
    .then((answer) => (answer.ok ? answer.text() : undefined))
    .catch(() => undefined);
  if (metrics === undefined) return "; its streams could not be read";
  const samples = [...metrics.matchAll(/^edgemaker_stream_live\{exchange="([^"]*)".*\} ([01])$/gm)];
  if (samples.length === 0) return "";
  const states = samples.map(
    ([, exchange = "", live]) => `${exchange} ${live === "1" ? "live" : "not live"}`,
  );
  return `; streams: ${plainText(states.join(", "))}`;
}

/** A grid as `grid status` shows it. */
type GridUsage = Pick<z.output<ReturnType<typeof GridStatusShape>>, "id" | "exchange" | "status" | "cost">;
type Counted = NonNullable<NonNullable<GridUsage["cost"]>["before"]>;

const DAY_MILLIS = 86_400_000;
const DAYS = 30;
/** Minimum duration in milliseconds for an estimate. */
const MIN_ESTIMATE_SPAN_MS = 60_000;

/** Extrapolates a month from the last counted day, or the complete day before it. */
export function monthOf({ cost }: Pick<GridUsage, "cost">): Omit<Counted, "day" | "from" | "to"> | null {
  if (!cost) return null;
  const whole = [cost.before, cost].find((one) => one && one.to - one.from > DAY_MILLIS / 2) ?? cost;
  const span = whole.to - whole.from;
  if (span < MIN_ESTIMATE_SPAN_MS) return null;
  const month = (count: number) => Math.round((count / span) * DAY_MILLIS * DAYS);
  return {
    exchangeCalls: month(whole.exchangeCalls),
    databaseRequests: month(whole.databaseRequests),
    rowsRead: whole.rowsRead === null ? null : month(whole.rowsRead),
    rowsWritten: whole.rowsWritten === null ? null : month(whole.rowsWritten),
  };
}

/** Returns the usage of passes over several accounts; each one is a message that is written, read and deleted. */
export const unitsOf = (
  accounts: number,
  passesPerMinute: number,
  rows: { readonly rowsRead: number; readonly rowsWritten: number },
): Record<Unit, number> => {
  const passes = accounts * passesPerMinute * 60 * 24 * DAYS;
  return { invocations: passes + 60 * 24 * DAYS, queueOperations: 3 * passes, ...rows };
};

/** Returns dollars per month; null if the plan does not allow this usage. */
export function priceOf(
  { price, included, beyond }: PricePlan,
  units: Readonly<Record<Unit, number>>,
): number | null {
  let sum = price;
  for (const unit of Object.keys(units) as Unit[]) {
    const over = Math.max(0, units[unit] - included[unit]);
    const each = beyond[unit];
    if (over > 0 && each === null) return null;
    sum += (over / 1_000_000) * (each ?? 0);
  }
  return Math.round(sum * 100) / 100;
}

/** Estimates the monthly price of the running grids on several hosting plans, from the last counted day. */
export async function estimateCost(values: Values): Promise<number> {
  const status = createOperations([]).find(({ name }) => name === "get_grid_status");
  if (!status) throw new Error("there is no operation get_grid_status");
  const settings = readSettings(values, process.env);
  const remote = await remoteOf(settings, values);
  const { ask, close } = await openAnswering(settings, remote);
  const answer = await ask(status, {}).finally(close);
  if (answer.status !== 200) return fail(answer, { remote });
  const grids = (answer.body as { strategies: readonly GridUsage[] }).strategies.filter(
    (grid) => grid.status !== "stopped",
  );
  const months = grids.map((grid) => ({ ...grid, month: monthOf(grid) }));
  const known = months.flatMap(({ month }) => (month ? [month] : []));
  const sum = (of: (month: (typeof known)[number]) => number) => known.reduce((all, one) => all + of(one), 0);
  const rows = { rowsRead: sum((one) => one.rowsRead ?? 0), rowsWritten: sum((one) => one.rowsWritten ?? 0) };
  const accounts = new Set(grids.map(({ exchange }) => exchange)).size;
  const perMinute = wholeFlag(values, "passes", { default: 1, min: 1, max: 12 });
  const units = unitsOf(accounts, perMinute, rows);
  const isUnknown = known.some(({ rowsRead }) => rowsRead === null);
  return print(values, {
    pricesOf: PRICES_OF,
    ...(isUnknown ? { note: "a database file does not count rows, so the prices do not include them" } : {}),
    ...(known.length < months.length
      ? {
          uncounted: `${months.length - known.length}: ran for less than a minute today; try again later`,
        }
      : {}),
    month: { ...units, exchangeCalls: sum((one) => one.exchangeCalls) },
    grids: months.map(({ id, month }) => ({ id, ...month })),
    plans: PLANS.map((plan) => ({
      plan: plan.name,
      dollars: priceOf(plan, units) ?? "not within its limits",
    })),
  });
}
