import { existsSync } from "node:fs";
import { basename } from "node:path";
import { createDeps, type Live } from "../../src/compose/deps.ts";
import { mayWithdrawText } from "../../src/compose/live-rights.ts";
import type { Runtime } from "../../src/compose/runtime.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { DAY, dayOf, formatSpan, SECOND } from "../../src/kernel/time.ts";
import { promisedPairs } from "../../src/liquidity/operations/in-force.ts";
import { withoutRules } from "../../src/liquidity/operations/sample.ts";
import type { LiquidityDeps } from "../../src/liquidity/store/store.ts";
import { accountKey } from "../../src/model/account.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { ExchangeInfo } from "../../src/ports/venue.ts";
import { pendingMigrations } from "../../src/storage/client/migrate.ts";
import { safeClient } from "../../src/storage/client/safe-client.ts";
import { configFile } from "../host/directories.ts";
import { besides, folderOpenToAll, openTo } from "../host/file-rights.ts";
import { databaseFile, shownUrl } from "../host/locations.ts";
import { createLog, runtimeAsIs, runtimeInMemory } from "../host/node-runtime.ts";
import { nodeLocal } from "../host/process/node-local.ts";
import { type CliSettings, describeFolder, lackingFolder, readSettings } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { terminalColumns, wrap } from "../terminal/style.ts";
import { type Check, checked, portFree, serversElsewhere } from "./server-check.ts";

/** Runs all checks, whatever the others find. Exit code 1 if one fails. */
export async function runDoctor(values: Values): Promise<number> {
  const checks: Check[] = [runtime(), privacy(configFile(process.env), "settings")];
  const settings = await tryCheck(checks, "settings", async () => {
    const read = readSettings(values, process.env);
    return [read, `${read.config.exchanges.length} exchanges, ${read.config.sandbox ? "simulated" : "live"}`];
  });
  if (settings) {
    checks.push(await portFree(values, settings));
    const { config, databaseUrl } = settings;
    for (const file of besides(databaseFile(databaseUrl) ?? "")) {
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
  process.stdout.write(values.json ? `${JSON.stringify({ checks }, null, 2)}\n` : checksText(checks));
  return checks.some(({ finding }) => finding === "bad") ? 1 : 0;
}

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
  act: () => Promise<readonly [T, string]>,
): Promise<T | undefined> {
  try {
    const [result, detail] = await act();
    checks.push(checked(check, "ok", detail));
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
async function storedClock({ store }: Deps): Promise<readonly Check[]> {
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
  if (info.kind === "live") checks.push(await checkClock(info.id, named ?? `https://${venue.account.host}`));
  const { live } = deps;
  const check = `${info.id} keys`;
  if (unopened !== undefined) return [...checks, checked(check, "bad", unopened)];
  if (!info.configured) return [...checks, checked(check, "note", "none; add them with edgemaker setup")];
  await tryCheck<unknown>(checks, check, async () => {
    if (!live) return [await venue.balances(), "simulated"];
    const { assets, mayWithdraw, kind } = await live.venues.checkKeys(info.id);
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

const MOST_SKEW = 2 * SECOND;

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
    return skew > MOST_SKEW
      ? checked(check, "bad", `this machine's clock is ${Math.round(skew / SECOND)} s off; synchronize it`)
      : checked(check, "ok", "accurate");
  } catch (error) {
    return checked(check, "bad", `no response from ${address}: ${messageOf(error)}`);
  }
}
