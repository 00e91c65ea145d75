import { describe, expect, it, onTestFinished } from "vitest";
import { kindsOf } from "../../src/engine/accounts.ts";
import { kindsWith } from "../../src/kinds.ts";
import { createOperations } from "../../src/operations.ts";
import { twoSided } from "../own/deeds.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { previews, starts } from "../support/starts.ts";

const BUDGET = { spreadPercent: 2, size: 490, baseBudget: 0.1, quoteBudget: 3000 };
const PLACE = { exchange: "bitget", symbol: "BTC/USDT" };
const KINDS = {
  quote: { definition: "quote", input: { ...PLACE, ...BUDGET, useOwn: false, fixedPrice: 60_000 } },
  strategy: { definition: "two-sided", input: { ...PLACE, ...BUDGET } },
};

interface Answer {
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

async function limited(limits: object) {
  const box = await emulatedExchanges({ names: ["bitget"] });
  onTestFinished(box.close);
  const deps = { ...box.deps, interval: 5000, kinds: kindsOf(kindsWith([twoSided])) };
  const operations = createOperations(EXCHANGES, [twoSided]);
  const ask = async (name: string, input: object): Promise<Answer> => {
    const found = operations.find((one) => one.name === name);
    if (!found) throw new Error(`there is no operation ${name}`);
    return (await found.run(deps, found.input.parse(input), { actor: "local" })) as Answer;
  };
  if (Object.keys(limits).length > 0) await ask("set_limits", limits);
  return async (name: string, input: object): Promise<readonly string[]> =>
    (await ask(name, input)).warnings
      .filter(({ code }) => code === "limit_met")
      .map(({ message }) => message);
}

describe.each(Object.values(KINDS))("a start of a $definition", ({ definition, input }) => {
  it.each([
    [
      { orderNotional: "USDT=300" },
      /^2 of its first orders wait for a limit: the limit orderNotional is USDT=300\b/,
    ],
    [
      { dayNotional: "USDT=600" },
      /^1 of its first orders waits for a limit: the limit dayNotional is USDT=600\b/,
    ],
    [{ openOrders: 1 }, /^1 of its first orders waits for a limit: the limit openOrders is 1, /],
    [{ symbols: "ETH/USDT" }, /^2 of its first orders wait for a limit: the limit symbols is ETH\/USDT, /],
  ])("warns in plan and response that its orders meet %j", async (limits, message) => {
    const met = await limited(limits);
    for (const request of [previews(definition, input), starts(definition, input)])
      expect(await met(...request)).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    [{}],
    [{ orderNotional: "USDT=500", dayNotional: "USDT=1100", openOrders: 2 }],
    [{ orderGapMillis: 5000 }],
  ])("warns of no limit with %j", async (limits) => {
    const met = await limited(limits);
    for (const request of [previews(definition, input), starts(definition, input)])
      expect(await met(...request)).toEqual([]);
  });
});
