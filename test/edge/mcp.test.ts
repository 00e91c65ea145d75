import { agentSuite, personAt } from "../mcp/suite.ts";
import { edgeApp } from "../support/edge.ts";
import { appSession } from "../support/mcp.ts";

agentSuite("over HTTP, in workerd over a libSQL server", async () => {
  const app = await edgeApp({
    EDGEMAKER_MCP_TRADING: "1",
    EDGEMAKER_MCP_CONFIRM: "terminal",
    EDGEMAKER_LIQUIDITY: "kraken:BTC/USDT",
  });
  const headers = { authorization: `Bearer ${app.tokens.admin}`, "content-type": "application/json" };
  return {
    database: app.url,
    connect: () => appSession(app, "trade"),
    ...personAt((path, init) => app.ask(path, { ...init, headers })),
    close: () => app.close(),
  };
});
