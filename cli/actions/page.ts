import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../src/kernel/errors.ts";
import { countWithVerb } from "../../src/kernel/plain-text.ts";
import { readStatusContent } from "../../src/liquidity/operations/check-proof.ts";
import { STATUS_MARK, statusPage } from "../../src/liquidity/status-page.tsx";
import { databaseFile, dataDirectory } from "../host/directories.ts";
import { nodeLocal } from "../host/process/node-local.ts";
import { describeServer, findServer, findServers, runningServers } from "../host/running-servers.ts";
import { type CliSettings, readSettings } from "../host/settings.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { openDeps, withDatabase } from "./open-database.ts";

/**
 * Returns a new link to the page of the running local server; without a server of the default database, of the only
 * server that runs, such as a demo. Throws if no server runs.
 */
export async function newPageLink(values: Values): Promise<string> {
  const settings = readSettings(values, process.env);
  const folder = dataDirectory(process.env);
  const own = await findServer(folder, settings.databaseUrl);
  const isChosen = values.db !== undefined || values.sandbox === true;
  const others = own || isChosen ? [] : await findServers(folder);
  if (others.length > 1)
    throw new Error(
      `${countWithVerb(others.length, "server", "runs", "run")}: ${others.map(({ url, pid }) => `${url} (process ${pid})`).join(", ")}; choose one with --db, and --sandbox if it has that flag`,
    );
  const server = own ?? others[0];
  if (!server) throw new Error(await describeLack(settings));
  const response = await fetch(`${server.url}/api/v1/session/code`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}` },
  });
  const { code, message } = (await response.json()) as { code?: string; message?: string };
  if (code === undefined) throw new Error(message ?? `the server returned status ${response.status}`);
  return pageLink(server.url, code);
}

/** Describes why no server creates a link: none runs, or its token is in another home. */
async function describeLack(settings: CliSettings): Promise<string> {
  const file = databaseFile(settings.databaseUrl);
  if (file !== undefined && !existsSync(file)) return NO_SERVER;
  const deps = await openDeps(settings);
  const [running] = await runningServers(deps).finally(deps.close);
  return running
    ? `a server of this database runs at ${describeServer(running)}; run \`edgemaker page\` as the user who started it, on its machine`
    : NO_SERVER;
}

const NO_SERVER = "no server with this database runs; start one with `edgemaker serve`, then try again";

/** Returns a sign-in link. The part after # is not sent to servers and does not appear in logs. */
export const pageLink = (url: string, code: string): string => `${url}/#code=${code}`;

/** Writes the page under another name and renames it, so the folder never has half of it. */
export async function buildStatusPage(values: Values): Promise<number> {
  const { out = "status-page", maker, amounts = false } = values;
  if (maker !== undefined && !/^[^<>]{1,80}$/.test(String(maker)))
    throw new UsageError("--maker must be a name of at most 80 characters, without < and >");
  const file = join(String(out), "index.html");
  refuseOther(file);
  return withDatabase(values, async (deps) => {
    const status = await readStatusContent(deps, {
      maker: maker === undefined ? null : String(maker),
      hasAmounts: amounts === true,
    });
    writeWhole(String(out), file, statusPage(status));
    return { file, pairs: status.pairs.length };
  });
}

/** Throws UsageError if the file exists and is not a status page, so nobody's own page is lost. */
function refuseOther(file: string): void {
  if (existsSync(file) && !readFileSync(file, "utf8").includes(STATUS_MARK))
    throw new UsageError(`${file} is not a status page; choose another folder with --out`);
}

function writeWhole(folder: string, file: string, text: string): void {
  const fresh = `${file}.${process.pid}.${nodeLocal.randomText(6)}`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(fresh, text, { flag: "wx" });
    renameSync(fresh, file);
  } catch (error) {
    if (existsSync(fresh)) rmSync(fresh);
    throw new UsageError(`${file} could not be written: ${messageOf(error)}`);
  }
}
