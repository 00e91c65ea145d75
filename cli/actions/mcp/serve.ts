import { PassThrough } from "node:stream";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isJSONRPCRequest, type JSONRPCMessage, type RequestId } from "@modelcontextprotocol/sdk/types.js";
import { createDeps } from "../../../src/compose/deps.ts";
import { messageOf } from "../../../src/kernel/errors.ts";
import { createOperations } from "../../../src/operations.ts";
import { mcpServer } from "../../../src/transport/mcp/server.ts";
import { madeDocuments } from "../../../src/transport/openapi.ts";
import { onEndSignal } from "../../host/end-signals.ts";
import { createLog, nodeRuntime } from "../../host/node-runtime.ts";
import { describedStrategies } from "../../host/own-strategies.ts";
import { nodeLocal } from "../../host/process/node-local.ts";
import { type Remote, requestRemote } from "../../host/remote.ts";
import { warningWithoutServer } from "../../host/running-servers.ts";
import { type CliSettings, checkKeyRights, readSettings } from "../../host/settings.ts";
import { version } from "../../host/version.ts";
import { UsageError, type Values } from "../../terminal/arguments.ts";
import { cancelledBy, lineTransport } from "./lines.ts";

/** Speaks MCP over standard input and output until the input ends. */
export async function serveMcp(values: Values): Promise<number> {
  const transport = lineTransport(process.stdin, protocolOutput());
  const settings = readSettings(values, process.env);
  const remote = requestRemote(settings, values);
  if (remote && settings.config.mcp.trading)
    throw new UsageError(
      "EDGEMAKER_MCP_TRADING has no effect with --api-url, because that server's settings decide; set it to 0 here, and set EDGEMAKER_MCP_TRADING, EDGEMAKER_MCP_CONFIRM and EDGEMAKER_MCP_MAX_NOTIONAL on that server",
    );
  const close = remote ? await relay(transport, remote) : await answer(transport, settings);
  const isAnswered = answering(transport);
  await inputEnded();
  await isAnswered();
  await close();
  return 0;
}

/** Responds from this process's database and exchanges. */
async function answer(transport: Transport, { config, databaseUrl, sandbox }: CliSettings) {
  const log = createLog(config.logLevel);
  const { definitions } = await describedStrategies(config.strategies);
  const deps = await createDeps(config, nodeRuntime(databaseUrl, config, log), sandbox);
  const operations = createOperations(
    config.exchanges.map(({ id }) => id),
    definitions,
  );
  const server = mcpServer({
    deps,
    operations,
    tools: madeDocuments(operations, version()).tools,
    settings: config.mcp,
    warningWithoutServer: () => warningWithoutServer(deps, config.mcp.commandFlags ?? ""),
    // The key belongs to this process only, so no other process can commit its plans.
    caller: { actor: "mcp", scope: "trade", key: nodeLocal.randomText(25) },
    version: version(),
  });
  await server.connect(transport);
  const asking = checkKeyRights(deps);
  return async () => {
    asking.stop();
    await server.close();
    deps.close();
  };
}

const inputEnded = (): Promise<void> =>
  new Promise((resolve) => {
    process.stdin.once("end", resolve);
    onEndSignal(resolve);
  });

/** Reserves standard output for the protocol; other output goes to standard error. */
function protocolOutput(): PassThrough {
  const output = new PassThrough();
  const write = process.stdout.write.bind(process.stdout);
  output.on("data", (part: Uint8Array) => write(part));
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  return output;
}

const MAX_CLIENT_RESPONSE_WAIT_MS = 15_000;

/**
 * Watches a connected transport; the returned function waits a short time until every request has a response, so a
 * client that closes its input after its last request still gets the response.
 */
function answering(transport: Transport): () => Promise<void> {
  const open = new Set<RequestId>();
  let isDone: () => void = () => undefined;
  const close = (id: RequestId | undefined) => {
    if (id !== undefined) open.delete(id);
    if (open.size === 0) isDone();
  };
  const [receive, send] = [transport.onmessage, transport.send.bind(transport)];
  transport.onmessage = (message, extra) => {
    if (isJSONRPCRequest(message)) open.add(message.id);
    close(cancelledBy(message));
    receive?.(message, extra);
  };
  transport.send = async (message, options) => {
    await send(message, options);
    if ("id" in message && !("method" in message)) close(message.id);
  };
  return () =>
    new Promise((resolve) => {
      isDone = resolve;
      setTimeout(resolve, MAX_CLIENT_RESPONSE_WAIT_MS).unref();
      close(undefined);
    });
}

/** Relays messages to a server's /mcp and its responses back; the server's settings apply. */
async function relay(here: Transport, { url, token }: Remote): Promise<() => Promise<void>> {
  const there = new StreamableHTTPClientTransport(new URL(`${url.replace(/\/$/, "")}/mcp`), {
    requestInit: { headers: token ? { authorization: `Bearer ${token}` } : {} },
  });
  there.onmessage = (message) => {
    const version = protocolVersion(message);
    if (version) there.setProtocolVersion(version);
    void here.send(message);
  };
  here.onmessage = (message) => {
    there.send(message).catch((error: unknown) => {
      process.stderr.write(`edgemaker: no response from ${url}: ${messageOf(error)}\n`);
      if (isJSONRPCRequest(message)) void here.send(failure(message.id, url));
    });
  };
  await there.start();
  await here.start();
  return () => there.close();
}

/** Returns the protocol version from the response to `initialize`. */
const protocolVersion = (message: JSONRPCMessage): string | undefined =>
  "result" in message && typeof message.result.protocolVersion === "string"
    ? message.result.protocolVersion
    : undefined;

const failure = (id: string | number, url: string): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32000, message: `no response from ${url}; check the address and the token` },
});
