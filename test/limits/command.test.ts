import { describe, expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const ORDER =
  "orders create --exchange kraken --symbol BTC/USDT --side buy --type limit --amount 0.001 --price 50000";

async function run(folder: string, words: string, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await edgemaker(folder, [...words.split(" "), "--sandbox", "--json"], env);
  return { code, stderr, body: JSON.parse(stdout || "null") as Record<string, unknown> | null };
}

describe("edgemaker limits", () => {
  it("sets and shows limits, and a refused order names its limit", async () => {
    const folder = tempFolder();
    const set = await run(folder, "limits set --order-notional USDT=40 --open-orders 7");
    expect(set.body?.changes).toMatchObject([
      { name: "orderNotional" },
      { name: "openOrders", was: "off", is: "7" },
    ]);
    const shown = await run(folder, "limits show");
    expect(shown.body).toMatchObject({
      limits: [{ scope: "every", limits: { openOrders: "7", collarPercent: "10", symbols: "off" } }],
    });
    const { code, stderr } = await run(folder, ORDER);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/orderNotional is USDT=40/) });
  });

  it("applies limits from the environment too, and no command raises them", async () => {
    const folder = tempFolder();
    await run(folder, "limits set --order-notional off");
    const { code, stderr } = await run(folder, ORDER, { EDGEMAKER_LIMITS: "orderNotional=USDT=40" });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/orderNotional is USDT=40/) });
    expect((await run(folder, ORDER)).code).toBe(0);
  });

  it.each([
    [
      "limits set --order-notionall USDT=5",
      {},
      /unknown flag: --order-notionall; did you mean --order-notional/,
    ],
    [
      "limits show",
      { EDGEMAKER_LIMITS: "orderNotionall=USDT=5" },
      /name=value;… with names of orderNotional, dayNotional/,
    ],
    [
      "limits show",
      { EDGEMAKER_LIMITS: "openOrders=many" },
      /openOrders is a whole number of orders, not many/,
    ],
  ])("exits with code 2 for %s with %j", async (words, env, pattern) => {
    const { code, stderr } = await run(tempFolder(), words, env);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(pattern) });
  });
});
