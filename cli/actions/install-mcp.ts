import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseConfig } from "../../src/compose/config.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { databaseFile, packageFolder } from "../host/directories.ts";
import { writePrivate } from "../host/kill-file.ts";
import { tokenOf } from "../host/remote.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";
import { isAtTerminal } from "./plan-confirmation.ts";

interface Client {
  /** Its configuration file. */
  readonly file: string;
  /** The key of its servers in the file. */
  readonly key: "mcpServers" | "servers";
}

type Entry = Readonly<Record<string, unknown>>;

const inApplications = (...path: string[]): string => {
  const home = process.env.HOME || homedir();
  if (process.platform === "darwin") return join(home, "Library/Application Support", ...path);
  if (process.platform === "win32")
    return join(process.env.APPDATA ?? join(home, "AppData/Roaming"), ...path);
  return join(process.env.XDG_CONFIG_HOME ?? join(home, ".config"), ...path);
};
const inHome = (...path: string[]): string => join(process.env.HOME || homedir(), ...path);

const CLIENTS: Readonly<Record<string, () => Client>> = {
  "claude-desktop": () => ({
    file: inApplications("Claude", "claude_desktop_config.json"),
    key: "mcpServers",
  }),
  "claude-code": () => ({ file: inHome(".claude.json"), key: "mcpServers" }),
  cursor: () => ({ file: inHome(".cursor", "mcp.json"), key: "mcpServers" }),
  windsurf: () => ({ file: inHome(".codeium", "windsurf", "mcp_config.json"), key: "mcpServers" }),
  vscode: () => ({ file: inApplications("Code", "User", "mcp.json"), key: "servers" }),
};

/** Adds edgemaker to a client's configuration; keeps other entries, and copies the previous file. */
export async function installMcp(values: Values): Promise<number> {
  const name = String(values.client ?? "");
  const client = CLIENTS[name]?.();
  if (!client) throw new UsageError(`--client must be one of ${Object.keys(CLIENTS).join(", ")}`);
  const trading = await tradingSettings(values);
  const before = readClientFile(client.file);
  const servers = before[client.key] ?? {};
  if (typeof servers !== "object" || servers === null || Array.isArray(servers))
    throw new Error(`${client.file}: ${client.key} is not an object; nothing was changed`);
  const edgemaker = entryOf(values, trading);
  const backup = existsSync(client.file) ? keepCopy(client.file) : null;
  const after = { ...before, [client.key]: { ...servers, edgemaker } };
  writePrivate(client.file, `${JSON.stringify(after, null, 2)}\n`);
  const isRemote = values["api-url"] !== undefined;
  return print(values, {
    client: name,
    file: client.file,
    backup,
    ...(isRemote
      ? { token: "use a token that works only at /mcp: edgemaker token create --scope agent" }
      : {}),
    next: `restart ${name}: it starts edgemaker itself`,
  });
}

function readClientFile(file: string): Entry {
  if (!existsSync(file)) return {};
  const text = readFileSync(file, "utf8");
  if (text.trim() === "") return {};
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === "object" && content !== null && !Array.isArray(content)) return content as Entry;
  } catch (error) {
    throw new Error(`${file} is not plain JSON (${messageOf(error)}); nothing was changed`);
  }
  throw new Error(`${file} is not a JSON object; nothing was changed`);
}

/** Returns `<file>.before-edgemaker`, numbered from the second copy on; no copy is overwritten. */
function keepCopy(file: string): string {
  for (let number = 1; ; number++) {
    const copy = `${file}.before-edgemaker${number === 1 ? "" : `-${number}`}`;
    if (existsSync(copy)) continue;
    writePrivate(copy, readFileSync(file, "utf8"));
    return copy;
  }
}

/** Returns the settings of a trading agent: a person approves each plan, and each plan has a maximum. Throws UsageError. */
async function tradingSettings(values: Values): Promise<Readonly<Record<string, string>>> {
  if (!values.trading) {
    if (values["max-notional"] !== undefined) throw new UsageError("--max-notional requires --trading");
    return {};
  }
  if (values["api-url"] !== undefined)
    throw new UsageError(
      "--trading has no effect with --api-url, because that server's settings decide; set EDGEMAKER_MCP_TRADING, EDGEMAKER_MCP_CONFIRM and EDGEMAKER_MCP_MAX_NOTIONAL on that server",
    );
  const most =
    values["max-notional"] ?? (isAtTerminal() && !values.json ? await askMaxNotional() : undefined);
  if (most === undefined)
    throw new UsageError("--trading needs a cap for each plan; add one, for example --max-notional USDT=500");
  const refusal = refusalOfMaxNotional(String(most));
  if (refusal !== undefined) throw new UsageError(`--max-notional: ${refusal}`);
  return {
    EDGEMAKER_MCP_TRADING: "1",
    EDGEMAKER_MCP_CONFIRM: "terminal",
    EDGEMAKER_MCP_MAX_NOTIONAL: String(most),
  };
}

async function askMaxNotional(): Promise<string | undefined> {
  const { isCancel, text } = await import("@clack/prompts");
  const most = await text({
    message: "What is the maximum that one plan can trade?",
    placeholder: "USDT=500",
    validate: (given) => refusalOfMaxNotional(given ?? ""),
  });
  return isCancel(most) ? undefined : most;
}

function refusalOfMaxNotional(most: string): string | undefined {
  try {
    return parseConfig({ EDGEMAKER_MCP_MAX_NOTIONAL: most }).mcp.maxNotional?.size
      ? undefined
      : "name an amount, for example USDT=500";
  } catch (error) {
    return messageOf(error);
  }
}

function entryOf(values: Values, trading: Readonly<Record<string, string>>): Entry {
  const flags = [
    ...(values.sandbox ? ["--sandbox"] : []),
    ...(values.db === undefined ? [] : ["--db", fromAnyFolder(String(values.db))]),
  ];
  const token = tokenOf(values.token as string | undefined);
  const env = {
    ...trading,
    ...(values["api-url"] === undefined ? {} : { EDGEMAKER_API_URL: String(values["api-url"]) }),
    ...(token === undefined ? {} : { EDGEMAKER_TOKEN: token }),
  };
  return {
    type: "stdio",
    command: process.execPath,
    args: [join(packageFolder(), "cli/edgemaker.cjs"), "mcp", ...flags],
    env,
  };
}

/** Returns a database's address with an absolute path, because the client starts edgemaker in another folder. */
function fromAnyFolder(url: string): string {
  const file = databaseFile(url);
  return file === undefined ? url : `file:${file}`;
}
