import { PassThrough } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createDeps } from "../../../src/compose/deps.ts";
import { createOperations } from "../../../src/operations.ts";
import { madeDocuments } from "../../../src/transport/documents/made.ts";
import { mcpServer } from "../../../src/transport/mcp/server.ts";
import { askAboutKeys } from "../../host/check-keys.ts";
import { createLog, nodeRuntime } from "../../host/node-runtime.ts";
import { nodeLocal } from "../../host/process/node-local.ts";
import { requestRemote } from "../../host/remote.ts";
import { type CliSettings, readSettings } from "../../host/settings.ts";
import { strategiesIn } from "../../host/strategies/load.ts";
import { version } from "../../host/version.ts";
import type { Values } from "../../terminal/arguments.ts";
import { UsageError } from "../../terminal/usage-error.ts";
import { answering } from "./answering.ts";
import { relay } from "./relay.ts";

/** Speaks MCP over standard input and output until the input ends. */
export async function serveMcp(values: Values): Promise<number> {
  const transport = new StdioServerTransport(process.stdin, protocolOutput());
  const settings = readSettings(values, process.env);
  const remote = requestRemote(settings, values);
  if (remote && settings.config.mcp.trading)
    throw new UsageError(
      "EDGEMAKER_MCP_TRADING has no effect with --api-url, because that server's settings decide; set it to 0 here, and set EDGEMAKER_MCP_TRADING, EDGEMAKER_MCP_CONFIRM and EDGEMAKER_MCP_MOST on that server",
    );
  const close = remote ? await relay(transport, remote) : await answer(transport, settings);
  const isAnswered = answering(transport);
  await inputEnded();
  await isAnswered();
  await close();
  return 0;
}

/** Responds from this process's database and exchanges. */
async function answer(transport: StdioServerTransport, { config, databaseUrl, sandbox }: CliSettings) {
  const log = createLog(config.logLevel);
  const deps = await createDeps(config, nodeRuntime(databaseUrl, config, log), sandbox);
  const operations = createOperations(
    config.exchanges.map(({ id }) => id),
    strategiesIn(config.strategies).definitions,
  );
  const server = mcpServer({
    deps,
    operations,
    tools: madeDocuments(operations, version()).tools,
    settings: config.mcp,
    // The key belongs to this process only, so no other process can commit its plans.
    caller: { actor: "mcp", scope: "trade", key: nodeLocal.randomText(25) },
    version: version(),
  });
  await server.connect(transport);
  const asking = askAboutKeys(deps);
  return async () => {
    asking.stop();
    await server.close();
    deps.close();
  };
}

const inputEnded = (): Promise<void> =>
  new Promise((resolve) => {
    process.stdin.once("end", resolve);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });

/** Reserves standard output for the protocol; other output goes to standard error. */
function protocolOutput(): PassThrough {
  const output = new PassThrough();
  const write = process.stdout.write.bind(process.stdout);
  output.on("data", (part: Uint8Array) => write(part));
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  return output;
}
