import { command } from "./command.ts";
import { CALL_ARGS } from "./operation-command.ts";
import { DATABASE_ARGS } from "./settings.ts";

const { json: _json, ...REMOTE_ARGS } = CALL_ARGS;

export const mcpCommand = command({
  name: "mcp",
  description: "Serve agents over standard input and output (Model Context Protocol)",
  args: { ...DATABASE_ARGS, ...REMOTE_ARGS },
  run: async (values) => (await import("./mcp.ts")).serveMcp(values),
});
