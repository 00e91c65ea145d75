import { PassThrough } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createDeps } from "../src/deps.ts";
import { createOperations } from "../src/operations.ts";
import { mcpServer } from "../src/transport/mcp/server.ts";
import type { Values } from "./arguments.ts";
import { answering } from "./mcp-answering.ts";
import { createLog, nodeLocal, nodeRuntime } from "./node-runtime.ts";
import { readSettings } from "./settings.ts";
import { version } from "./version.ts";

/** Speaks the protocol over standard input and output until the input ends. */
export async function serveMcp(values: Values): Promise<number> {
  const output = protocolOutput();
  const { config, sandbox, databaseUrl } = readSettings(values, process.env);
  const log = createLog(config.logLevel);
  const deps = await createDeps(config, nodeRuntime(databaseUrl, config, log), sandbox);
  const server = mcpServer({
    deps,
    operations: createOperations(config.exchanges.map(({ id }) => id)),
    settings: { trading: config.mcpTrading, confirm: config.mcpConfirm },
    // Of this process alone: no other one commits what this one was shown.
    caller: { actor: "mcp", scope: "trade", key: nodeLocal.randomText(25) },
    version: version(),
  });
  const transport = new StdioServerTransport(process.stdin, output);
  await server.connect(transport);
  const isAnswered = answering(transport);
  await inputEnded();
  await isAnswered();
  await server.close();
  deps.close();
  return 0;
}

const inputEnded = (): Promise<void> =>
  new Promise((resolve) => {
    process.stdin.once("end", resolve);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });

/** Standard output for the protocol alone: whatever else writes there goes to standard error from now on. */
function protocolOutput(): PassThrough {
  const output = new PassThrough();
  const write = process.stdout.write.bind(process.stdout);
  output.on("data", (part: Uint8Array) => write(part));
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  return output;
}
