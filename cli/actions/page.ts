import { existsSync } from "node:fs";
import { dataDirectory } from "../host/directories.ts";
import { databaseFile } from "../host/locations.ts";
import { pageLink } from "../host/page-link.ts";
import { describeServer, runningServers } from "../host/running-servers.ts";
import { findServer } from "../host/server-file.ts";
import { type CliSettings, readSettings } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { openDeps } from "./database/open.ts";

/** Returns a new link to the page of the running local server. Throws if no server runs. */
export async function newPageLink(values: Values): Promise<string> {
  const settings = readSettings(values, process.env);
  const server = await findServer(dataDirectory(process.env), settings.databaseUrl);
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
