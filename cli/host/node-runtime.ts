import { statSync } from "node:fs";
import { venueStreams } from "../../src/adapters/streams/streams.ts";
import type { Config } from "../../src/compose/config.ts";
import type { Runtime } from "../../src/compose/runtime.ts";
import type { Log, LogLevel } from "../../src/ports/local.ts";
import type { Database } from "../../src/storage/client/safe-client.ts";
import { readCoveredFile } from "./candle-sources.ts";
import { keptCandles } from "./candle-store.ts";
import { fileConnection } from "./database/file-connection.ts";
import { readMigrations, readNewSchema } from "./database/migrations.ts";
import { ownDatabase } from "./file-rights.ts";
import { killedByFile, killFileText } from "./kill-file.ts";
import { databaseFile } from "./locations.ts";
import { nodeSockets } from "./node-sockets.ts";
import { leadsInward, nodePost } from "./outbound.ts";
import { nodeLocal } from "./process/node-local.ts";
import { sendBySmtp } from "./smtp.ts";
import { strategiesIn } from "./strategies/load.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Logs one JSON line per entry to stderr; stdout is for data. */
export const createLog =
  (least: LogLevel): Log =>
  (level, message, fields = {}) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
    process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), level, message, ...fields })}\n`);
  };

/**
 * Returns the runtime of Node: a file or a server for the database, and files for candles. Creates the file, or
 * restricts it to the owner.
 */
export function nodeRuntime(url: string, config: Config, log: Log): Runtime {
  const file = databaseFile(url);
  if (file && ownDatabase(file))
    log("warn", "other users could read the database file; now only you can", { file });
  return runtimeAsIs(url, config, log);
}

/** Does the same with a database that it leaves unchanged. */
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

/** Does the same with a temporary database in memory. */
export const runtimeInMemory = (url: string, config: Config, log: Log): Runtime =>
  runtimeOver(fileConnection(":memory:"), url, { config, log });

function runtimeOver(client: Database, url: string, { config, log }: { config: Config; log: Log }): Runtime {
  return {
    client,
    log,
    definitions: strategiesIn(config.strategies).definitions,
    local: nodeLocal,
    migrations: readMigrations(),
    schema: readNewSchema(),
    readCandles: readCoveredFile,
    kept: keptCandles(url, process.env),
    post: nodePost(config.outboundHosts),
    inward: leadsInward(),
    mail: sendBySmtp(config.outboundHosts),
    streams: (accessOf) => venueStreams(accessOf, nodeSockets),
    killed: killedByFile(url),
    killFile: killFileText(url),
  };
}

/** Identifies a file, so a replaced file of the same name is detected; undefined if there is none. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
