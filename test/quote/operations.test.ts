import { describe, expect, it } from "vitest";
import { text } from "../../src/kernel/decimal.ts";
import { VenueError } from "../../src/kernel/errors.ts";
import { BY } from "../support/by.ts";
import { askingOf, START, type TestSandbox, testSandbox } from "../support/sandbox.ts";
import { previews, starts } from "../support/starts.ts";

/** Around a fixed price of 60,000, of which the market's own price is not far. */
const REQUEST = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  spreadPercent: 2,
  size: 120,
  maxLoss: 30,
  defend: "pause:60",
  useOwn: false,
  useOthers: false,
  useDex: false,
  fixedPrice: 60_000,
  skewPercent: 0,
  baseBudget: 0.05,
  quoteBudget: 3000,
  name: "mine",
};

async function quoteBox(options: TestSandbox = {}) {
  const box = await testSandbox(options);
  const asking = askingOf({ ...box.deps, interval: 5000 });
  const open = async () => {
    const orders = await box.venue("kraken").openOrders("BTC/USDT");
    return orders.map(({ side, price, amount }) => `${side} ${text(amount)} at ${text(price)}`).sort();
  };
  return { ...box, ...asking, open };
}

describe("quotes", () => {
  it("are started as requested, and shown with all that a person asks of them", async () => {
    const { ask, open, time } = await quoteBox();
    const started = await ask<{ id: string }>(...starts("quote", REQUEST));
    expect(started).toMatchObject({
      status: "running",
      exchange: "kraken",
      symbol: "BTC/USDT",
      uses: { base: "0.05", quote: "3000" },
      warnings: [],
    });
    // 120 / 59,400 and 120 / 60,600, in lots of 0.00001.
    const orders = ["buy 0.00202 at 59400", "sell 0.00198 at 60600"];
    expect(await open()).toEqual(orders);
    const { id } = started;
    expect(await ask<object>("get_strategy", { id })).toMatchObject({
      id,
      name: "mine",
      definition: "quote",
      mode: "simulated",
      exchange: "kraken",
      symbol: "BTC/USDT",
      status: "running",
      phase: expect.stringMatching(/^(placing|active)$/),
      details: {
        kind: "quote",
        spreadPercent: 2,
        levels: 1,
        budget: { base: "0.05", quote: "3000" },
        maxLoss: "30",
        defend: "pause:60",
        reference: "60000",
        halfSpreadPercent: 1,
        widenedBy: "asked",
        quotedAt: START,
        sources: [{ source: "fixed", counted: true, because: null }],
      },
      orders: [
        { side: "buy", price: "59400", amount: "0.00202" },
        { side: "sell", price: "60600", amount: "0.00198" },
      ],
      filledOrders: 0,
      profit: "0",
      totalProfit: expect.any(String),
      position: "0.05",
      averageCost: "60000",
      waiting: [],
      notices: [],
      startedAt: START,
      lastStepAt: time.now(),
      stream: null,
      lastError: null,
    });
    expect(await ask("list_strategies")).toMatchObject({
      strategies: [
        {
          id,
          name: "mine",
          definition: "quote",
          mode: "simulated",
          exchange: "kraken",
          symbol: "BTC/USDT",
          status: "running",
          stalled: false,
          capital: "6000",
          openOrders: 2,
          notices: [],
          startedAt: START,
        },
      ],
      count: 1,
    });
  });

  it("are previewed with what they use and can lose", async () => {
    const { preview, exposure } = await quoteBox();
    const shown = await preview(...starts("quote", REQUEST));
    expect(shown).toMatchObject({
      what: "start quotes 2 % apart on BTC/USDT at kraken: 1 buy and 1 sell now, with the market at 60000",
      cost: expect.stringMatching(/; it can use up to 3000 USDT and 0.05 BTC$/),
      worstCase: expect.stringContaining("the initial 0.05 BTC, 3000 USDT now, and all of it loses value"),
      limits: [expect.stringContaining("spread"), expect.stringContaining("more than 30 USDT")],
      holds: { planHash: expect.stringMatching(/^[0-9a-f]{32}-60000$/) },
    });
    expect(await exposure(...starts("quote", REQUEST))).toMatchObject({
      trades: "known",
      largest: 120n * 10n ** 18n,
    });
  });

  it("are previewed without the exchange's candles, whose failure is no mistake of ours", async () => {
    const { ask, venue } = await quoteBox();
    const failing = (error: Error) => ({
      venue: (exchange: string) => ({ ...venue(exchange), candles: () => Promise.reject(error) }),
    });
    const away = failing(new VenueError("unavailable", "no answer"));
    expect(await ask(...previews("quote", REQUEST), away)).toMatchObject({
      details: { cadence: { movePercent: null } },
    });
    expect(await ask(...previews("quote", REQUEST))).toMatchObject({
      details: { cadence: { movePercent: expect.any(Number) } },
    });
    await expect(ask(...previews("quote", REQUEST), failing(new TypeError("a mistake")))).rejects.toThrow(
      "a mistake",
    );
  });

  it("are paper trading on request, also as the first strategy of an exchange", async () => {
    const { ask, preview, exposure, open } = await quoteBox();
    const paper = { ...REQUEST, dryRun: true, baseBudget: undefined, quoteBudget: undefined };
    expect(await preview(...starts("quote", paper))).toMatchObject({
      what: expect.stringContaining("at kraken (paper trading): 1 buy and 0 sells now"),
      cost: expect.stringMatching(/; it can use up to 10000 USDT and 0 BTC$/),
    });
    expect(await exposure(...starts("quote", paper))).toEqual({ trades: "nothing" });
    const { id } = await ask<{ id: string }>(...starts("quote", paper));
    expect(await ask<object>("get_strategy", { id })).toMatchObject({
      mode: "paper",
      status: "running",
      orders: [{ side: "buy", price: "59400", amount: "0.00202" }],
    });
    expect(await open()).toEqual([]);
  });

  it("are changed as previewed, and say whether the change is made", async () => {
    const { ask, preview, open, store } = await quoteBox();
    const { id } = await ask<{ id: string }>(...starts("quote", REQUEST));
    expect(await preview("edit_strategy", { id, config: { levels: 2, size: 300 } })).toMatchObject({
      what: expect.stringMatching(
        /: levels from 1 to 2, size from 120 to 300; 2 orders are canceled, 4 placed, and 0 stay, with the market at 60000$/,
      ),
      limits: [
        expect.any(String),
        "its orders move to the new settings with the next passes",
        expect.stringContaining("more than 30 USDT"),
      ],
      holds: { planHash: expect.stringMatching(/^[0-9a-f]{32}$/), id },
    });
    const shown = await ask<object>("preview_edit", { id, config: { spreadPercent: 4 } });
    expect(shown).toMatchObject({
      id,
      kept: 0,
      cancelled: 2,
      orders: [{ price: "58800" }, { price: "61200" }],
    });
    const made = await ask<{ message: string }>("edit_strategy", { id, config: { spreadPercent: 4 } });
    expect(made).toMatchObject({ success: true, id, message: `${id} is changed` });
    // 120 / 58,800 and 120 / 61,200.
    expect(await open()).toEqual(["buy 0.00204 at 58800", "sell 0.00196 at 61200"]);
    await store.setPaused(id, { keepOrders: true }, BY);
    await expect(
      ask("edit_strategy", { id, config: { levels: 1 }, planHash: "0".repeat(32) }),
    ).rejects.toThrow(/changes nothing/);
    await expect(
      ask("edit_strategy", { id, config: { levels: 2 }, planHash: "0".repeat(32) }),
    ).rejects.toMatchObject({
      label: "Conflict",
    });
  });

  it("are paused, resumed and stopped, and found under no other id", async () => {
    const { ask, open, exposure } = await quoteBox();
    const { id } = await ask<{ id: string }>(...starts("quote", REQUEST));
    expect(await ask("pause_strategy", { id })).toMatchObject({ success: true, phase: "paused" });
    expect(await open()).toEqual([]);
    expect(await exposure("resume_strategy", { id })).toMatchObject({ trades: "known" });
    expect(await ask("resume_strategy", { id })).toMatchObject({ success: true, status: "running" });
    expect(await open()).toHaveLength(2);
    expect(await ask("stop_strategy", { id })).toMatchObject({ success: true, status: "stopped" });
    expect([await open(), await ask("list_strategies")]).toMatchObject([[], { strategies: [], count: 0 }]);
    await expect(ask("edit_strategy", { id, config: { levels: 2 } })).rejects.toThrow(
      /is stopped and cannot be changed; start a new one/,
    );
    await expect(ask("get_strategy", { id: "quote-no" })).rejects.toThrow("there is no strategy quote-no");
  });

  it("are not started while the kill switch is on, or with a plan that is outdated", async () => {
    const { ask, open, store } = await quoteBox();
    const { planHash, orders } = await ask<{ planHash: string; orders: object[] }>(
      ...previews("quote", REQUEST),
    );
    expect(orders).toHaveLength(2);
    await expect(ask(...starts("quote", { ...REQUEST, fixedPrice: 60_700, planHash }))).rejects.toMatchObject(
      {
        label: "Conflict",
      },
    );
    await store.setKill(true, BY);
    expect(
      (await ask<{ warnings: { code: string }[] }>(...previews("quote", REQUEST))).warnings,
    ).toMatchObject([{ code: "killed" }]);
    await expect(ask(...starts("quote", { ...REQUEST, planHash }))).rejects.toThrow(/nothing is started/);
    await store.setKill(false, BY);
    expect(await open()).toEqual([]);
    await ask(...starts("quote", { ...REQUEST, planHash }));
    expect(await open()).toHaveLength(2);
  });
});
