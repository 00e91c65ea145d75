import { expect, it } from "vitest";
import { parseConfig } from "../../src/compose/config.ts";

it("reads the old name of a setting, and says the new one", () => {
  const { mcp, notices } = parseConfig({ EDGEMAKER_MCP_MOST: "USDT=5", EDGEMAKER_MCP_MOST_A_DAY: "USDT=7" });
  expect([mcp.maxNotional?.size, mcp.maxNotionalPerDay?.size]).toEqual([1, 1]);
  expect(notices).toEqual([
    "EDGEMAKER_MCP_MOST is now EDGEMAKER_MCP_MAX_NOTIONAL; rename it, because the next release does not read the old name",
    "EDGEMAKER_MCP_MOST_A_DAY is now EDGEMAKER_MCP_MAX_NOTIONAL_PER_DAY; rename it, because the next release does not read the old name",
  ]);
});

it("prefers the new name of a setting", () => {
  const { mcp } = parseConfig({ EDGEMAKER_MCP_MOST: "USDT=5", EDGEMAKER_MCP_MAX_NOTIONAL: "EUR=7" });
  expect([...(mcp.maxNotional ?? new Map()).keys()]).toEqual(["EUR"]);
});
