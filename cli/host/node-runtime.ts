import { statSync } from "node:fs";
import type { Database } from "../../src/adapters/libsql/client/safe-client.ts";
import type { Config } from "../../src/compose/config.ts";
import type { Runtime } from "../../src/compose/sandbox.ts";
import type { Log, LogLevel } from "../../src/ports/local.ts";
import { readCoveredFile } from "./candle-sources.ts";
import { keptCandles } from "./candle-store.ts";
import { fileConnection } from "./database/file-connection.ts";
import { builtSchema, readMigrations } from "./database/migrations.ts";
import { ownDatabase } from "./file-rights.ts";
import { killedByFile, killFileText } from "./kill-file.ts";
import { databaseFile } from "./locations.ts";
import { leadsInward, nodePost } from "./outbound.ts";
import { nodeLocal } from "./process/node-local.ts";
import { sendBySmtp } from "./smtp.ts";
import { strategiesIn } from "./strategies/load.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** One JSON line an entry, on stderr: stdout is for data. */
export const createLog =
  (least: LogLevel): Log =>
  (level, message, fields = {}) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
    process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), level, message, ...fields })}\n`);
  };

/** The runtime of Node: a file or a server for the database, files for candles. A file is made, or made the owner's alone. */
export function nodeRuntime(url: string, config: Config, log: Log): Runtime {
  const file = databaseFile(url);
  if (file && ownDatabase(file))
    log("warn", "other users could read the database file; now only you can", { file });
  return runtimeAsIs(url, config, log);
}

/** The same, over a database that is left as it is. */
export function runtimeAsIs(url: string, config: Config, log: Log): Runtime {
  const file = databaseFile(url);
  const client = file
    ? {
        connection: fileConnection(file),
        identity: () => identityOf(file),
      }
    : { url, authToken: config.databaseAuthToken, fetch };
  return runtimeOver(client, url, { config, log });
}

/** Over a database that nobody keeps. */
export const runtimeInMemory = (url: string, config: Config, log: Log): Runtime =>
  runtimeOver(fileConnection(":memory:"), url, { config, log });

function runtimeOver(client: Database, url: string, { config, log }: { config: Config; log: Log }): Runtime {
  const migrations = readMigrations();
  return {
    client,
    log,
    definitions: strategiesIn(config.strategies).definitions,
    local: nodeLocal,
    migrations,
    whole: builtSchema(migrations),
    readCandles: readCoveredFile,
    kept: keptCandles(url, process.env),
    post: nodePost(config.outboundHosts),
    inward: leadsInward(),
    mail: sendBySmtp(config.outboundHosts),
    killed: killedByFile(url),
    killFile: killFileText(url),
  };
}

/** Tells a file from another one of the same name; undefined when there is none. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
