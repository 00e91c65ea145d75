import { DATABASE_ARGS } from "../host/settings.ts";
import { switchFlag, textFlag } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import { CALL_ARGS } from "./operation.ts";

const { json, ...REMOTE_ARGS } = CALL_ARGS;
const { db, sandbox } = DATABASE_ARGS;

export const mcpCommand = command({
  name: "mcp",
  description: "Run an MCP server for AI agents on standard input and output",
  examples: ["edgemaker mcp --sandbox", "edgemaker mcp --api-url https://grids.example --token em_…"],
  args: { ...DATABASE_ARGS, ...REMOTE_ARGS },
  run: async (values) => (await import("../actions/mcp/serve.ts")).serveMcp(values),
  subCommands: {
    install: command({
      name: "mcp install",
      description: "Add edgemaker to the configuration of an AI client; a copy of the old one stays",
      examples: ["edgemaker mcp install --client claude-desktop --sandbox"],
      args: {
        client: textFlag("claude-desktop, claude-code, cursor, windsurf or vscode", "name"),
        trading: switchFlag("Allow trading, with your approval of each plan (edgemaker plans)"),
        most: textFlag(
          "With --trading: the most that one plan can sell and buy, for example USDT=500",
          "asset=amount",
        ),
        db,
        sandbox,
        ...REMOTE_ARGS,
        json,
      },
      run: async (values) => (await import("../actions/actions.ts")).installMcp(values),
    }),
  },
});
