import { dataDirectory } from "../host/directories.ts";
import { pageLink } from "../host/page-link.ts";
import { findServer } from "../host/server-file.ts";
import { readSettings } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";

/** Returns a new link to the page of the running local server. Throws if no server runs. */
export async function newPageLink(values: Values): Promise<string> {
  const { databaseUrl } = readSettings(values, process.env);
  const server = await findServer(dataDirectory(process.env), databaseUrl);
  if (!server)
    throw new Error(
      "no server with this database runs here; start one with `edgemaker serve`, then try again",
    );
  const response = await fetch(`${server.url}/api/v1/session/code`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}` },
  });
  const { code, message } = (await response.json()) as { code?: string; message?: string };
  if (code === undefined) throw new Error(message ?? `the server returned status ${response.status}`);
  return pageLink(server.url, code);
}
