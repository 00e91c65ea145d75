import { DATABASE_ARGS } from "../host/settings.ts";
import { command } from "../terminal/command.ts";
import { CALL_ARGS } from "./operation.ts";

const { json, ...REMOTE_ARGS } = CALL_ARGS;
const { db, sandbox } = DATABASE_ARGS;

export const mcpCommand = command({
  name: "mcp",
  description: "Serve agents over standard input and output (Model Context Protocol)",
  examples: ["edgemaker mcp --sandbox", "edgemaker mcp --api-url https://grids.example --token em_…"],
  args: { ...DATABASE_ARGS, ...REMOTE_ARGS },
  run: async (values) => (await import("../actions/mcp/serve.ts")).serveMcp(values),
  subCommands: {
    install: command({
      name: "mcp install",
      description: "Add edgemaker to the configuration of an agent's program, keeping a copy of it",
      examples: ["edgemaker mcp install --client claude-desktop --sandbox"],
      args: {
        client: {
          type: "string",
          description: "claude-desktop, claude-code, cursor, windsurf or vscode",
          valueHint: "name",
        },
        trading: {
          type: "boolean",
          description: "Let it trade, each time after you approve it with edgemaker plans",
        },
        db,
        sandbox,
        ...REMOTE_ARGS,
        json,
      },
      run: async (values) => (await import("../actions/actions.ts")).installMcp(values),
    }),
  },
});
