import { join } from "node:path";
import { edgemaker } from "../support/command.ts";
import { stdioSession } from "../support/mcp.ts";
import { makeFolder } from "../support/temp.ts";
import { agentSuite } from "./suite.ts";

const SETTINGS = {
  EDGEMAKER_MCP_TRADING: "1",
  EDGEMAKER_MCP_CONFIRM: "terminal",
  EDGEMAKER_LIQUIDITY: "kraken:BTC/USDT",
};

agentSuite("over standard input and output", async () => {
  const folder = makeFolder();
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await edgemaker(folder.path, ["plans", ...args, "--sandbox"]);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };
  return {
    database: `file:${join(folder.path, "data/edgemaker/sandbox.db")}`,
    connect: async () => (await stdioSession(folder.path, ["--sandbox"], SETTINGS)).client,
    async plans() {
      const { plans } = JSON.parse(await run("list", "--json")) as { plans: { id: string }[] };
      return plans.map(({ id }) => id);
    },
    decide: async (planId, decision) => void (await run(decision, planId)),
    close: async () => folder.remove(),
  };
});
