import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type CallToolResult, CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import type { Scope } from "../../src/model/token.ts";
import type { Target } from "./app.ts";
import { environment, launcher } from "./command.ts";
import { heard } from "./heard.ts";

/** The default is a minute, which a slow machine needs to start many servers, for a suggestion, or for an approval. */
const PATIENCE = 240_000;

const session = async (transport: unknown): Promise<Client> => {
  const made = new Client({ name: "test", version: "1" });
  await made.connect(transport as Transport, { timeout: PATIENCE });
  return made;
};

/** The official client on a process of `edgemaker mcp …`; what it writes to standard error is kept. */
export async function stdioSession(
  folder: string,
  args: readonly string[],
  over: Record<string, string> = {},
): Promise<{ client: Client; stderr: () => string }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, "mcp", ...args],
    env: environment(folder, over) as Record<string, string>,
    cwd: folder,
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (part) => (stderr += String(part)));
  return { client: await session(transport), stderr: () => stderr };
}

/** The official client on /mcp of a server, or of an app through `fetch`. */
export const httpSession = (
  url: string,
  { token, fetch = globalThis.fetch }: { token: string; fetch?: typeof globalThis.fetch },
): Promise<Client> =>
  session(
    new StreamableHTTPClientTransport(new URL("/mcp", url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      fetch: async (request, init) => heard("/mcp", await fetch(request, init)),
    }),
  );

/** The official client on the /mcp of an app that is asked without a socket. */
export const appSession = ({ tokens, ask }: Target, scope: Scope): Promise<Client> =>
  httpSession("http://localhost", {
    token: tokens[scope],
    fetch: ((url: URL, init?: RequestInit) => ask(url.pathname, init)) as typeof globalThis.fetch,
  });

const closed = (client: Client): Client => {
  onTestFinished(() => client.close());
  return client;
};

/** The same, closed when the test ends. */
export const appClient = async (app: Target, scope: Scope): Promise<Client> =>
  closed(await appSession(app, scope));
export async function stdioClient(...of: Parameters<typeof stdioSession>) {
  const opened = await stdioSession(...of);
  closed(opened.client);
  return opened;
}

export const callTool = async (
  on: Client,
  name: string,
  values: Record<string, unknown> = {},
): Promise<CallToolResult> =>
  (await on.callTool({ name, arguments: values }, CallToolResultSchema, {
    timeout: PATIENCE,
  })) as CallToolResult;

export const textOf = ({ content }: CallToolResult): string =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("\n");

/** What a tool's error says. */
export const errorOf = (
  result: CallToolResult,
): { error: string; message: string; said?: string; next: string } => {
  if (!result.isError) throw new Error(`no error: ${JSON.stringify(result)}`);
  return JSON.parse(textOf(result));
};
