// A process that writes: started twice at once by safe-client.test.ts.

import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { safeClient } from "../../src/storage/client/safe-client.ts";
import { connectionTo } from "./connection.ts";
import { inWaves } from "./in-waves.ts";

const [url = "", count = "0"] = process.argv.slice(2);
const client = await safeClient(connectionTo(url), nodeLocal);
const writes = Array.from({ length: Number(count) }, (_, place) => {
  const add = { sql: "update counter set n = n + 1", args: [] };
  const row = { sql: "insert into written values (?, ?)", args: [process.pid, place] };
  return () => client.batch(place % 2 === 0 ? [add, row] : [row, add], "write");
});
await inWaves(writes, 5);
console.log(writes.length);
client.close();
