import { join } from "node:path";
import { serveProcess } from "../support/command.ts";
import { httpSession } from "../support/mcp.ts";
import { makeFolder } from "../support/temp.ts";
import { agentSuite, personAt } from "./suite.ts";

const SETTINGS = {
  EDGEMAKER_MCP_TRADING: "1",
  EDGEMAKER_MCP_CONFIRM: "terminal",
  EDGEMAKER_LIQUIDITY: "kraken:BTC/USDT",
};

agentSuite("over HTTP, on Node", async () => {
  const folder = makeFolder();
  const server = await serveProcess(folder.path, ["--sandbox"], SETTINGS);
  return {
    database: `file:${join(folder.path, "data/edgemaker/sandbox.db")}`,
    connect: () => httpSession(server.url, { token: server.token }),
    ...personAt(server.ask),
    async close() {
      await server.kill("SIGKILL");
      folder.remove();
    },
  };
});
