import { expect, it, onTestFinished } from "vitest";
import { kindsOf } from "../../src/engine/accounts.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { MINUTE, SECOND } from "../../src/kernel/time.ts";
import { kindsWith } from "../../src/kinds.ts";
import { createOperations } from "../../src/operations.ts";
import { twoSided } from "../own/deeds.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridRequest } from "../support/requests.ts";
import { previews, starts } from "../support/starts.ts";

const PAIR = "BTC/USDT";
const NAMES = ["kraken", "bitget", "mexc", "gateio"] as const;

interface Started {
  readonly id: string;
  readonly message: string;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

const BUDGETS = { quoteBudget: 1000, baseBudget: 0.1, size: 100, spreadPercent: 1 };
const KINDS = [
  ["grid", gridRequest()],
  ["quote", { ...BUDGETS, levels: 1, useOthers: false }],
  ["two-sided", BUDGETS],
] as const;

it.each(NAMES.flatMap((name) => KINDS.map((kind) => [name, ...kind] as const)))(
  "a start on a closed pair of %s warns: %s",
  async (name, definition, fields) => {
    const setup = await emulatedExchanges({ names: [name] });
    onTestFinished(setup.close);
    const exchange = setup.exchange(name);
    exchange.list(PAIR, { active: false });
    const deps = { ...setup.deps, kinds: kindsOf(kindsWith([twoSided])) };
    const operations = createOperations([name], [twoSided]);
    const request = { ...fields, exchange: name, symbol: PAIR };
    const ask = async <T>(operation: string, input: object): Promise<T> => {
      const one = operations.find((one) => one.name === operation);
      if (!one) throw new Error(`there is no operation ${operation}`);
      return (await one.run(deps, one.input.parse(input), { actor: "test" })) as T;
    };
    const why = `the exchange has closed ${PAIR}; its orders follow when the pair trades again`;
    const warning = { code: "market_closed", message: `no order is placed now: ${why}` };
    expect((await ask<Started>(...previews(definition, request))).warnings).toContainEqual(warning);
    const started = await ask<Started>(...starts(definition, request));
    expect(started.warnings).toContainEqual(warning);
    expect(started.message).toBe(`${started.id} is running, but no order is placed: ${why}`);
    expect(exchange.count("create")).toBe(0);
    exchange.list(PAIR, { active: true });
    for (let passed = 0; passed < 15 * MINUTE && exchange.open(PAIR).length === 0; passed += 30 * SECOND) {
      setup.time.pass(30 * SECOND);
      await runRound(deps);
    }
    expect(exchange.open(PAIR).length).toBeGreaterThan(0);
  },
);
