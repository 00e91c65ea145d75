import { describe, expect, it } from "vitest";
import { sendCancel, sendOrder } from "../../../../src/adapters/ccxt/account/reading.ts";
import { CallFailed, type CallFailure, NotSent } from "../../../../src/adapters/ccxt/client/quirks.ts";
import { AppError, BudgetSpent, VenueError } from "../../../../src/kernel/errors.ts";
import { d, market } from "../../../support/grid.ts";
import { PERMIT } from "../../../support/live.ts";
import { order } from "../../../support/made.ts";

const failure = (over: Partial<CallFailure> = {}): CallFailed =>
  new CallFailed({ failure: "refused", definite: true, reason: "no funds", ...over });

interface Exchange {
  /** What the call returns, or throws. */
  readonly answer?: unknown;
  /** Whether the request has left by then. */
  readonly leaves?: boolean;
  readonly buysByCost?: boolean;
  readonly spoils?: () => Promise<void>;
}

/** Sends over a session that has this result, with what the exchange was asked for. */
function sending({ answer = { id: "x1" }, leaves = true, buysByCost = false, spoils }: Exchange) {
  const sent: unknown[] = [];
  const [spoiled, logged]: [string[], unknown[][]] = [[], []];
  const exchange = {
    createOrder: (...args: unknown[]) => void sent.push(args),
    cancelOrder: (...args: unknown[]) => void sent.push(args),
  };
  const session = {
    async write(query: { leaving(): void }, call: (own: object, expiry: object) => unknown) {
      await call(exchange, { now: 1, by: 2 });
      if (leaves) query.leaving();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const link = {
    quirks: { buysByCost, createParams: ({ clientId }: { clientId: string }) => ({ clientId }) },
    catalog: { spoil: spoils ?? (async (symbol: string) => void spoiled.push(symbol)) },
    log: (...entry: unknown[]) => void logged.push(entry),
  };
  const quote = async () => ({ bid: d("99"), ask: d("100.07") });
  const parts = { link, session, quote, market: async () => market({ tick: d("0.5") }) } as never;
  return {
    sent,
    spoiled,
    logged,
    create: (over: Parameters<typeof order>[0] = {}) => sendOrder(parts, order(over), PERMIT),
    cancel: (id = "x1") => sendCancel(parts, { symbol: "BTC/USDT", id }, PERMIT),
  };
}

describe("an order that is sent", () => {
  it("is accepted under the exchange's id, and unknown without a plausible one", async () => {
    expect(await sending({}).create()).toEqual({ result: "accepted", id: "x1" });
    for (const id of [undefined, 5, "", "two words", "x".repeat(81)])
      expect(await sending({ answer: { id } }).create()).toEqual({
        result: "unknown",
        reason: "the exchange returned no order id",
      });
  });

  it("has a price only as a limit order", async () => {
    const [limit, taker] = [sending({}), sending({})];
    await limit.create();
    await taker.create({ type: "market", side: "sell" });
    const params = { clientId: order().clientId };
    expect([limit.sent, taker.sent]).toEqual([
      [["BTC/USDT", "limit", "buy", "2", "100", params]],
      [["BTC/USDT", "market", "sell", "2", undefined, params]],
    ]);
  });

  it("buys at the market with a limit 1 % above the ask where it could only name a cost", async () => {
    const sent = async (over: object) => {
      const one = sending({ buysByCost: true });
      await one.create(over);
      return (one.sent[0] as unknown[]).slice(1, 5);
    };
    // 101.0707, down to half a unit.
    expect(await sent({ type: "market" })).toEqual(["limit", "buy", "2", "101"]);
    expect(await sent({ type: "market", side: "sell" })).toEqual(["market", "sell", "2", undefined]);
    expect(await sent({})).toEqual(["limit", "buy", "2", "100"]);
  });

  it.each<[string, Error, object]>([
    [
      "a rejection",
      failure(),
      { result: "rejected", reason: "no funds", failure: "refused", wouldTake: false },
    ],
    [
      "a rejection of a taker",
      failure({ wouldTake: true }),
      { result: "rejected", reason: "no funds", failure: "refused", wouldTake: true },
    ],
    ["no clear answer", failure({ definite: false }), { result: "unknown", reason: "no funds" }],
    [
      "an answer that cannot be read",
      new TypeError("x"),
      { result: "unknown", reason: "the exchange's response cannot be read" },
    ],
  ])("has the result of %s", async (_what, answer, outcome) => {
    expect(await sending({ answer }).create()).toEqual(outcome);
  });

  it.each<[string, Error, object]>([
    ["its time was over", new NotSent("late"), { result: "not_sent", reason: "late" }],
    [
      "no call is left",
      new BudgetSpent("none left", 5),
      { result: "not_sent", reason: "none left", failure: "rate_limited" },
    ],
    [
      "the account is busy",
      new AppError("Too many requests", "busy"),
      { result: "not_sent", reason: "busy", failure: "rate_limited" },
    ],
    ["its market is unknown", new AppError("Invalid request", "no"), { result: "not_sent", reason: "no" }],
    ["the exchange is down", new VenueError("unavailable", "down"), { result: "not_sent", reason: "down" }],
    [
      "there are no keys",
      new VenueError("missing_credentials", "no keys"),
      { result: "rejected", reason: "no keys", failure: "missing_credentials" },
    ],
    ["a call before it failed", failure({ definite: false }), { result: "not_sent", reason: "no funds" }],
    [
      "a call before it was limited",
      failure({ definite: false, failure: "rate_limited" }),
      { result: "not_sent", reason: "no funds", failure: "rate_limited" },
    ],
    // The text of another error can contain a signed address.
    ["of another error", new Error("https://x/?signature=1"), { result: "not_sent" }],
  ])("has not left if %s", async (_what, answer, outcome) => {
    expect(await sending({ answer, leaves: false }).create()).toEqual(outcome);
  });

  it("makes its market be loaded again if the exchange rejects it by other rules", async () => {
    const spoiled = async (over: Partial<CallFailure>) => {
      const one = sending({ answer: failure(over) });
      await one.create();
      return one.spoiled;
    };
    expect(await spoiled({ stale: true })).toEqual(["BTC/USDT"]);
    expect([await spoiled({}), await spoiled({ stale: true, definite: false })]).toEqual([[], []]);
    const spoils = () => Promise.reject(new Error("no database"));
    const one = sending({ answer: failure({ stale: true }), spoils });
    expect(await one.create()).toMatchObject({ result: "rejected" });
    expect(one.logged).toEqual([
      ["warn", "a market could not be marked for reloading", { symbol: "BTC/USDT", message: "no database" }],
    ]);
  });
});

describe("a cancel that is sent", () => {
  it("names the order, and is never sent without an id", async () => {
    const one = sending({});
    expect(await one.cancel()).toEqual({ result: "accepted" });
    expect(await one.cancel("")).toEqual({ result: "rejected", reason: "the order has no id" });
    expect(one.sent).toEqual([["x1", "BTC/USDT"]]);
  });

  it("asks for a look at an order that is missing, and has the result of other failures", async () => {
    const cancel = (answer: Error, leaves = true) => sending({ answer, leaves }).cancel();
    expect(await cancel(failure({ missing: true }))).toEqual({ result: "look" });
    expect(await cancel(failure())).toMatchObject({ result: "rejected", reason: "no funds" });
    expect(await cancel(failure({ definite: false }))).toMatchObject({ result: "unknown" });
    expect(await cancel(new NotSent("late"), false)).toEqual({ result: "not_sent" });
    expect(await cancel(new BudgetSpent("none left", 5), false)).toEqual({
      result: "not_sent",
      failure: "rate_limited",
    });
  });
});
