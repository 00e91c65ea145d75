import { type Client, createClient } from "@libsql/client";

/** More than any write of a server takes, however busy the machine. Waiting stops this process, not the server's. */
const PATIENCE = 60_000;

/** A connection of the test's own to a file that a server writes to: it waits for the server's writes. */
export const besideServer = (url: string): Client => createClient({ url, timeout: PATIENCE });
