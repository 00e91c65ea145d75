import { describe, expect, it } from "vitest";
import { planAnswer } from "../../../src/lifecycle/plan.ts";
import { planText } from "../../../src/lifecycle/plan-view.ts";
import { planHashOf } from "../../../src/model/shown-plan.ts";
import { quoteKind } from "../../../src/quote/kind.ts";
import { QuotePlanShape } from "../../../src/quote/schema/input.ts";
import {
  planQuote,
  type QuoteInputs,
  quoteConfigOf,
  quoteFacts,
  quoteStartWarnings,
} from "../../../src/quote/start/planned-quote.ts";
import { d, market } from "../../support/grid.ts";
import { NOW, reportedOrder } from "../../support/made.ts";
import { quoteSettings } from "../../support/starts.ts";

const PLACE = { exchange: "kraken", symbol: "BTC/USDT" };
const balance = (asset: string, free: string) => ({ asset, free: d(free), used: 0n });

const inputs = (over: Partial<QuoteInputs> = {}): QuoteInputs => ({
  market: market(),
  book: { bids: [], asks: [], at: NOW },
  standings: { version: 0, all: [] },
  open: [],
  elsewhere: { prices: [], requestedAt: NOW, bookAt: NOW },
  balances: [balance("USDT", "5000"), balance("BTC", "50")],
  kept: { base: 0n, quote: 0n },
  volatility: undefined,
  killed: false,
  now: NOW,
  interval: 5_000,
  ...over,
});

/** Around a fixed price of 100, 1 % on each side, half of the budget in each asset. */
function planned(
  over: object = {},
  given: Partial<QuoteInputs> = {},
  budget: { base: string; quote: string } = { base: "10", quote: "1000" },
) {
  const request = quoteSettings({
    ...PLACE,
    spreadPercent: 2,
    size: 99.99,
    fixedPrice: 100,
    useOwn: false,
    useOthers: false,
    useDex: false,
    ...over,
  });
  const config = quoteConfigOf(request, { base: d(budget.base), quote: d(budget.quote) });
  const at = inputs(given);
  const plan = planQuote(config, at, { exchange: "kraken" });
  const base = {
    market: at.market,
    killed: at.killed,
    planHash: planHashOf(plan.shown),
    uses: config.budget,
    warnings: quoteStartWarnings(plan, at),
  };
  const place = { definition: "quote", exchange: "kraken" };
  const { details, ...answer } = planAnswer(base, quoteFacts(plan, at), place);
  return { ...answer, details: QuotePlanShape().parse(details) };
}
const orders = (out: ReturnType<typeof planned>) =>
  out.orders.map(({ side, price, amount }) => `${side} ${amount} at ${price}`);
const warning = (out: ReturnType<typeof planned>, code: string) =>
  out.warnings.find((one) => one.code === code)?.message;

describe("a plan of quotes", () => {
  it("has an order on each side at half the spread from the price, for the requested size", () => {
    // 99.99 / 99 and 99.99 / 101.
    expect(planned()).toMatchObject({
      uses: { base: "10", quote: "1000" },
      price: "100",
      orders: [
        { id: "buy-1", side: "buy", price: "99", amount: "1.01" },
        { id: "sell-1", side: "sell", price: "101", amount: "0.99" },
      ],
      details: {
        spreadPercent: 2,
        levels: 1,
        maxLoss: null,
        defend: null,
        widenedBy: "asked",
        reference: "100",
        halfSpreadPercent: 1,
        sources: [{ source: "fixed", counted: true, because: null }],
      },
      refused: [],
      warnings: [],
      worstCase:
        "the price falls and does not recover: 1000 USDT become BTC, in addition to the initial 10 BTC, 1000 USDT now, and all of it loses value",
    });
  });

  it("names the worst case up to its loss limit", () => {
    expect(planned({ maxLoss: 30 })).toMatchObject({
      details: { maxLoss: "30" },
      worstCase: expect.stringMatching(
        /all of it loses value; at a loss of 30 USDT both sides are canceled$/,
      ),
    });
  });

  it("uses no more than what is free and not needed by other strategies, and says what is missing", () => {
    const out = planned(
      {},
      {
        balances: [balance("USDT", "70"), balance("BTC", "0.6")],
        kept: { base: d("0.1"), quote: d("20") },
      },
    );
    // 50 / (99 · 1.001) is 0.50454 in whole lots of 0.00001, and 0.5 BTC are left.
    expect(orders(out)).toEqual(["buy 0.50454 at 99", "sell 0.5 at 101"]);
    expect(out.warnings.filter(({ code }) => code === "funds_missing").map(({ message }) => message)).toEqual(
      [
        "its budget is 10 BTC, but 0.5 BTC are free, besides the 0.1 BTC that other strategies still need",
        "its budget is 1000 USDT, but 50 USDT are free, besides the 20 USDT that other strategies still need",
      ],
    );
    const alone = planned({}, { balances: [balance("USDT", "1000"), balance("BTC", "9.99")] });
    expect(alone.warnings).toEqual([
      { code: "funds_missing", message: "its budget is 10 BTC, but 9.99 BTC are free" },
    ]);
  });

  it("uses no more than its budget, however much is free", () => {
    const out = planned({}, {}, { base: "0.5", quote: "50" });
    expect(orders(out)).toEqual(["buy 0.50454 at 99", "sell 0.5 at 101"]);
    expect(warning(out, "funds_missing")).toBeUndefined();
  });

  it("leaves out what the budget does not cover, with the reason", () => {
    const out = planned({ levels: 2, target: 1, skewPercent: 0 }, {}, { base: "10", quote: "99.2" });
    // 99.2 / (99 · 1.001) is 1.00101 in whole lots; what is left for the second bid is below the minimum of 5.
    expect(orders(out)[0]).toBe("buy 1.00101 at 99");
    expect(out.refused).toEqual([{ id: "buy-2", reason: "no_quote" }]);
  });

  it("warns if its budget is below twice what it quotes, because orders then wait for each other", () => {
    // 1.01 · 99 and 0.99 · 101 are 199.98.
    const enough = planned({}, {}, { base: "1.9998", quote: "199.98" });
    expect(warning(enough, "tight_funds")).toBeUndefined();
    const less = planned({ skewPercent: 0 }, {}, { base: "1.9998", quote: "199.97" });
    expect(warning(less, "tight_funds")).toBe(
      "it quotes 50.0013 % of its budget, so a new order has to wait until the old one is canceled; with twice the budget, both sides stay open",
    );
    expect(warning(planned({}, {}, { base: "0", quote: "0" }), "tight_funds")).toBeUndefined();
  });

  it("warns of its own book as the only source, of slow passes, and of the kill switch", () => {
    const book = {
      bids: [{ price: d("99.5"), amount: d("10") }],
      asks: [{ price: d("100.5"), amount: d("10") }],
      at: NOW,
    };
    const own = { useOwn: true, fixedPrice: undefined };
    const { warnings, details } = planned(own, { book, killed: true, interval: 60_000 });
    expect(details.reference).toBe("100");
    // It was read just now, whatever the time of its exchange.
    expect(planned(own, { book: { ...book, at: 5 } }).details.reference).toBe("100");
    expect(warnings.map(({ code }) => code)).toEqual(["own_book_alone", "slow_cadence", "killed"]);
    expect(planned(own, { book, interval: 59_999 }).warnings.map(({ code }) => code)).toEqual([
      "own_book_alone",
    ]);
    expect(planned({ useOwn: true }, { book }).warnings).toEqual([]);
  });

  it("has no orders without a price, and names why a source does not count", () => {
    const out = planned({ useOwn: true, fixedPrice: undefined });
    expect(out).toMatchObject({
      price: null,
      orders: [],
      details: {
        reference: null,
        halfSpreadPercent: null,
        widenedBy: null,
        sources: [{ source: "own", counted: false, because: "missing" }],
      },
    });
    expect(out.worstCase).not.toContain(" now");
    expect(out.warnings.map(({ code }) => code)).toEqual(["no_reference"]);
  });

  it("trades with no order of its own account", () => {
    const open = [reportedOrder({ side: "sell", price: d("98"), amount: d("3") })];
    const out = planned({}, { open });
    expect(orders(out)).toEqual(["sell 0.99 at 101"]);
    expect(out.refused).toEqual([{ id: "buy-1", reason: "would_self_cross" }]);
  });

  it.each([
    [24, true],
    [25, true],
    [26, false],
  ])("warns if a defence of %s ticks stays within the tolerance of 0.25: %s", (ticks, isWarned) => {
    expect(warning(planned({ defend: `${ticks}:60` }), "small_defence") !== undefined).toBe(isWarned);
  });
});

describe("the cadence of quotes", () => {
  const cadence = (share: number | undefined) =>
    planned({}, { interval: 60_000, volatility: share === undefined ? undefined : { share, over: 60_000 } })
      .details.cadence;

  it("compares the spread with four standard deviations of the price between two passes", () => {
    expect(cadence(0.005)).toEqual({
      seconds: 60,
      movePercent: 0.5,
      message: "within the 60 s between two passes the price moves by about 0.5 %; this spread covers it",
    });
    expect(cadence(0.006)).toMatchObject({
      movePercent: 0.6,
      message: expect.stringContaining("about 0.6 %: a spread below 2.4 % often fills before"),
    });
    expect(cadence(undefined)).toEqual({
      seconds: 60,
      movePercent: null,
      message: "the volatility is unknown; start with a wide spread",
    });
  });
});

describe("a plan of quotes for people", () => {
  it("has the price, both sides, and what it can lose", () => {
    const out = planned();
    expect(planText(out, quoteKind)).toEqual({
      market: "quote on BTC/USDT at kraken",
      "at most": "1000 USDT and 10 BTC of your own in use",
      orders: "1 buy at 99 USDT, 1 sell at 101 USDT",
      sum: "199.98 USDT: 99.99 in buys, 99.99 in sells",
      price: "100, from fixed",
      spread: "2 % requested",
      bids: "1.01 at 99",
      asks: "0.99 at 101",
      cadence: "the volatility is unknown; start with a wide spread",
      "loss limit": "none; --max-loss sets one",
      "worst case": out.worstCase,
    });
  });

  it("names what is not placed, the defence and the warnings", () => {
    const out = planned({ defend: "1:60", maxLoss: 30 }, {}, { base: "10", quote: "0" });
    expect(planText(out, quoteKind)).toMatchObject({
      bids: "no open orders",
      "not placed": "1 order: there is not enough free quote",
      "loss limit": "cancels both sides at a loss of 30 USDT",
      defence: "a side that is picked off moves 1 tick away, for 60 passes",
      "but note": expect.stringMatching(/^only one side is quoted.*; defend moves a side by 1 tick/),
    });
    expect(planText(planned({ defend: "pause:7" }), quoteKind).defence).toBe(
      "a side that is picked off is paused, for 7 passes",
    );
  });
});
