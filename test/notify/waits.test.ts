import { describe, expect, it, onTestFinished } from "vitest";
import { kindsOf } from "../../src/engine/accounts.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { DAY, HOUR, MINUTE } from "../../src/kernel/time.ts";
import { kindsWith } from "../../src/kinds.ts";
import { createOperations } from "../../src/operations.ts";
import { twoSided } from "../own/deeds.ts";
import { alertsOf } from "../support/alerts.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridRequest } from "../support/requests.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { starts } from "../support/starts.ts";

interface Status {
  readonly notices: readonly { readonly code: string }[];
}

const PLACE = { exchange: "bitget", symbol: "BTC/USDT", baseBudget: 0.05, quoteBudget: 3000 };
const KINDS = {
  grid: { definition: "grid", input: gridRequest({ exchange: "bitget" }) },
  quote: {
    definition: "quote",
    input: { ...PLACE, spreadPercent: 2, size: 120, useOwn: false, fixedPrice: 60_000 },
  },
  strategy: {
    definition: "two-sided",
    input: { ...PLACE, spreadPercent: 2, size: 120 },
  },
} as const;
type KindName = keyof typeof KINDS;

/** A strategy on an emulated exchange, and a webhook that receives its alerts. */
async function running(name: KindName) {
  const box = await emulatedExchanges({ names: ["bitget"], timing: { readLag: MINUTE } });
  onTestFinished(box.close);
  const deps = { ...box.deps, interval: 5000, kinds: kindsOf(kindsWith([twoSided])) };
  const venue = box.exchange("bitget");
  const operations = createOperations(EXCHANGES, [twoSided]);
  const ask = async <T>(operation: string, input: object): Promise<T> => {
    const found = operations.find((one) => one.name === operation);
    if (!found) throw new Error(`there is no operation ${operation}`);
    return (await found.run(deps, found.input.parse(input), { actor: "local" })) as T;
  };
  const { definition, input } = KINDS[name];
  const { id } = await ask<{ id: string }>(...starts(definition, input));
  const alerts = await alertsOf({ context: box.context, local: box.time.local });
  const pass = async (times: number) => {
    for (let at = 0; at < times; at++) {
      box.time.pass(MINUTE);
      await runRound(deps);
      await alerts();
    }
    return alerts();
  };
  const notices = async () => {
    const { notices: shown } = await ask<Status>("get_strategy", { id });
    return shown.map(({ code }) => code);
  };
  const cancel = (side: string) => {
    for (const order of venue.open().filter((one) => one.side === side))
      venue.engine.cancel(venue.account, order.id);
  };
  return { ask, venue, id, pass, notices, cancel, time: box.time };
}

describe.each(Object.keys(KINDS) as KindName[])("a %s that waits", (name) => {
  it("for base that was withdrawn alerts once, and once more when it is withdrawn again", async () => {
    const { venue, pass, notices, cancel, time, id } = await running(name);
    expect(await pass(3)).toEqual([]);
    const withdraw = () => {
      cancel("sell");
      venue.deposit("BTC", "-2");
    };
    withdraw();
    const once = [expect.stringMatching(new RegExp(`alert: .*${id}.*: base_missing: .* for .*BTC that the`))];
    expect(await pass(10)).toEqual(once);
    expect(await notices()).toContain("base_missing");
    venue.deposit("BTC", "2");
    time.pass(HOUR);
    expect(await pass(10)).toEqual(once);
    expect(await notices()).not.toContain("base_missing");
    withdraw();
    expect(await pass(10)).toHaveLength(2);
  });

  it("for a closed pair alerts once", async () => {
    const { venue, pass, notices, time } = await running(name);
    venue.list("BTC/USDT", { active: false });
    // The list of markets is cached.
    time.pass(2 * DAY);
    expect(await pass(10)).toEqual([expect.stringContaining("market_closed: bitget has closed BTC/USDT")]);
    expect(await notices()).toContain("market_closed");
    venue.list("BTC/USDT", { active: true });
    time.pass(2 * DAY);
    expect(await pass(2)).toHaveLength(1);
    expect(await notices()).not.toContain("market_closed");
  });

  it("for a limit alerts once, until the limit is raised", async () => {
    const { ask, pass, notices, cancel } = await running(name);
    await ask("set_limits", { orderNotional: "USDT=50" });
    cancel("buy");
    expect(await pass(10)).toEqual([
      expect.stringMatching(/: limit: \d slots? waits? for a limit: the limit /),
    ]);
    expect(await notices()).toContain("limit");
    await ask("set_limits", { orderNotional: "off" });
    expect(await pass(3)).toHaveLength(1);
    expect(await notices()).not.toContain("limit");
  });
});
