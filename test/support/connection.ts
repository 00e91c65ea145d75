import { fileConnection } from "../../cli/host/file-connection.ts";
import type { Connection } from "../../src/storage/client/safe-client.ts";

/** A connection to a database by its address, as the command line opens it. */
export const connectionTo = (url: string): Connection => fileConnection(url.replace(/^file:/, ""));
