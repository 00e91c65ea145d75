import { describe, expect, it } from "vitest";
import {
  CallFailed,
  type ErrorMeaning,
  formatRefusal,
  inForce,
  noAnswer,
  pages,
  RequestNotSentError,
  unlessMissing,
  venueErrorOf,
} from "../../../../src/adapters/ccxt/client/quirks.ts";
import { clockCheck, transport } from "../../../../src/adapters/ccxt/client/transport.ts";
import { kraken } from "../../../../src/adapters/ccxt/exchanges/kraken.ts";
import { mexc } from "../../../../src/adapters/ccxt/exchanges/mexc.ts";
import { AppError, StoreError, VenueError } from "../../../../src/kernel/errors.ts";
import { SECOND } from "../../../../src/kernel/time.ts";
import { order } from "../../../support/made.ts";

describe("the meaning of a rejection", () => {
  it.each<[ErrorMeaning, object]>([
    ["credentials", { failure: "invalid_credentials", definite: true }],
    ["forbidden", { failure: "invalid_credentials", definite: true, forbidden: true }],
    ["nonce", { failure: "unavailable", definite: true, nonce: true }],
    ["clock", { failure: "unavailable", definite: true }],
    ["limits", { failure: "rate_limited", definite: true }],
    ["rules", { failure: "refused", definite: true, stale: true }],
    ["unlisted", { failure: "unlisted", definite: true, stale: true }],
    ["refused", { failure: "refused", definite: true }],
    ["short", { failure: "refused", definite: true, short: true }],
    ["kind", { failure: "unavailable", definite: true, otherKind: true }],
    ["taking", { failure: "refused", definite: true, wouldTake: true }],
    // An order that is not found can still arrive.
    ["missing", { failure: "refused", definite: false, missing: true }],
  ])("%s says what is certain, but never with a server error", (meaning, certain) => {
    const refusal = { status: 400, code: "E1", message: "no" };
    expect(formatRefusal(refusal, meaning)).toEqual({ ...certain, reason: "E1: no" });
    const open = { failure: "unavailable", definite: false, reason: "E1: no" };
    expect(formatRefusal({ ...refusal, status: 499 }, meaning).definite).toBe(meaning !== "missing");
    expect(formatRefusal({ ...refusal, status: 500 }, meaning)).toEqual(open);
  });

  it("leaves the result open for an unknown code", () => {
    const refusal = { status: 400, code: "E1", message: "" };
    expect(formatRefusal(refusal, undefined)).toEqual({
      failure: "unavailable",
      definite: false,
      reason: "E1",
    });
    expect(formatRefusal({ ...refusal, status: 429 }, undefined).failure).toBe("rate_limited");
    expect(formatRefusal(refusal, "toString" as ErrorMeaning).definite).toBe(false);
  });
});

describe("an answer to a request", () => {
  const send = (fetch: () => Promise<Response>, quirks = kraken, dates: unknown[] = []) =>
    transport({
      quirks,
      base: "http://127.0.0.1:1",
      fetch,
      timeoutMillis: 30_000,
      clock: () => 5,
      paid: async () => undefined,
      mayLeave: () => true,
      headers: () => ({}),
      secrets: [],
      onDate: (...of) => void dates.push(of),
    })({ url: `https://${quirks.host}/0/x`, method: "GET", headers: {} });
  const failureOf = (...of: Parameters<typeof send>) =>
    send(...of).then(
      () => undefined,
      (error: unknown) => (error as CallFailed).failure,
    );
  const answer =
    (status: number, body: string | null = '{"result":{}}') =>
    async () =>
      new Response(body, { status });

  it.each([
    [299, undefined],
    [300, "the exchange returned a redirect (300)"],
    [399, "the exchange returned a redirect (399)"],
    [400, "the exchange returned status 400"],
  ])("of status %d is a success, a redirect or a failure", async (status, reason) => {
    expect(await failureOf(answer(status))).toEqual(
      reason && { failure: "unavailable", definite: false, reason },
    );
  });

  it.each([
    ["TimeoutError", "the exchange did not answer in time"],
    ["AbortError", "the exchange did not answer in time"],
    ["TypeError", "the connection to the exchange failed"],
  ])("that ends in a %s has no result", async (name, reason) => {
    const fetch = () => Promise.reject(Object.assign(new Error("x"), { name }));
    expect(await failureOf(fetch)).toEqual(noAnswer(reason));
  });

  it.each(["", "no JSON", "5", "null", '"text"'])("of %j cannot be read", async (body) => {
    const reason = (status: number) => `the exchange's response cannot be read (status ${status})`;
    const isJson = ["5", "null", '"text"'].includes(body);
    expect(await failureOf(answer(200, body))).toEqual({
      ...noAnswer(reason(200)),
      ...(isJson ? { unreadable: true } : {}),
    });
    expect(await failureOf(answer(429, body))).toEqual({ ...noAnswer(reason(429)), failure: "rate_limited" });
  });

  it("is a rate limit by its status, also beside a code of another meaning", async () => {
    expect(await failureOf(answer(429))).toMatchObject({ failure: "rate_limited", definite: false });
    const code = '{"code":30005,"msg":"no"}';
    expect(await failureOf(answer(429, code), mexc)).toMatchObject({
      failure: "rate_limited",
      definite: true,
    });
    expect(await failureOf(answer(400, code), mexc)).toMatchObject({ failure: "refused", definite: true });
  });

  it("has its text and its time", async () => {
    const dates: unknown[] = [];
    const fetch = async () => new Response(' {"result":{}} ', { headers: { date: "now" } });
    expect(await send(fetch, kraken, dates)).toEqual({ status: 200, text: '{"result":{}}' });
    expect(dates).toEqual([["now", 5]]);
  });
});

describe("a failed call of any kind", () => {
  it("is reported without texts of other errors", () => {
    const of = (error: unknown) => venueErrorOf(error, { name: "kraken" });
    const known = [new VenueError("unlisted", "x"), new AppError("Invalid request", "y")];
    expect(known.map(of)).toEqual(known);
    expect(of(new CallFailed({ failure: "refused", definite: true, reason: "no" }))).toMatchObject({
      failure: "refused",
      message: "kraken: no",
    });
    expect(of(new RequestNotSentError("late"))).toMatchObject({
      failure: "unavailable",
      message: "kraken: not called: late",
    });
    expect(of(new StoreError("unavailable", "secret"))).toMatchObject({
      failure: "unavailable",
      message: "kraken was not called, because the database cannot be reached",
    });
    for (const error of [new Error("https://x/?signature=1"), "text", undefined])
      expect(of(error)).toMatchObject({
        failure: "unavailable",
        message: "kraken returned an unexpected response",
      });
  });

  it("is no missing order unless the exchange says so", async () => {
    const missing = new CallFailed({ failure: "refused", definite: false, reason: "no", missing: true });
    expect(await unlessMissing(Promise.resolve(5))).toBe(5);
    expect(await unlessMissing(Promise.reject(missing))).toBeUndefined();
    const named = Object.assign(new Error("x"), { name: "OrderNotFound" });
    expect(await unlessMissing(Promise.reject(named))).toBeUndefined();
    const other = new CallFailed(noAnswer("no"));
    for (const error of [other, new Error("x"), "text", Object.assign(new Error("x"), { failure: {} })])
      await expect(unlessMissing(Promise.reject(error))).rejects.toBe(error);
  });
});

describe("pages of a list", () => {
  const read = (all: readonly (readonly number[])[], most = all.length) => {
    const cursors: number[] = [];
    const found = pages(
      0,
      async (cursor) => {
        cursors.push(cursor);
        return (all[cursor % all.length] ?? []).map((id) => ({ id, cursor }));
      },
      (_page, cursor) => (cursor + 1 < most ? cursor + 1 : undefined),
    );
    return found.then((rows) => [rows.map(({ id }) => id), cursors]);
  };

  it("have every item once", async () => {
    expect(
      await read([
        [3, 2],
        [2, 1],
      ]),
    ).toEqual([
      [3, 2, 1],
      [0, 1],
    ]);
    expect(await read([[]])).toEqual([[], [0]]);
  });

  it("that repeat, or never end, are a failure", async () => {
    await expect(read([[3], [3]], 3)).rejects.toThrow("the exchange's list does not continue");
    let id = 0;
    const endless = (most: number) =>
      pages(
        0,
        async () => [{ id: id++ }],
        (_page, cursor) => (cursor + 1 < most ? cursor + 1 : undefined),
      );
    expect(await endless(200)).toHaveLength(200);
    await expect(endless(201)).rejects.toThrow("the exchange's list does not end");
  });
});

it("an order names its time in force, but never one at the market", () => {
  const of = (over: object) => inForce(order(over));
  expect([of({ timeInForce: "ioc" }), of({ timeInForce: "post_only" }), of({ timeInForce: "gtc" })]).toEqual([
    { timeInForce: "IOC" },
    { postOnly: true },
    {},
  ]);
  for (const timeInForce of ["ioc", "post_only"]) expect(of({ type: "market", timeInForce })).toEqual({});
});

describe("a clock", () => {
  const NOW = 1_000_000 * SECOND;
  const dated = (date: number | null, leftAt = NOW, now = NOW) => {
    const check = clockCheck("kraken", SECOND, () => now);
    check.answered(date === null ? null : new Date(date).toUTCString(), leftAt);
    return check;
  };
  it("that differs by more than the allowed skew stops requests", () => {
    // A date has whole seconds: the answer can have left a second later.
    for (const date of [NOW - 2 * SECOND, NOW, NOW + SECOND, null])
      expect(() => dated(date).refuse()).not.toThrow();
    expect(() => dated(NOW - 3 * SECOND).refuse()).toThrow("differ by 2 s; synchronize this machine's clock");
    expect(() => dated(NOW + 2 * SECOND).refuse()).toThrow(
      "this machine's clock and that of kraken differ by 2 s",
    );
  });
  it("is compared anew with each answer that has a date", () => {
    const check = dated(NOW + 60 * SECOND);
    check.answered("no date", NOW);
    expect(() => check.refuse()).toThrow("60 s");
    check.answered(new Date(NOW).toUTCString(), NOW);
    expect(() => check.refuse()).not.toThrow();
  });
});
