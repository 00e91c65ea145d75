import { describe, expect, it, onTestFinished } from "vitest";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { irisAggregator } from "../../src/adapters/iris.ts";
import { connectDex, timeLimit } from "../../src/compose/deps.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { KINDS } from "../../src/kinds.ts";
import { createOperations } from "../../src/operations.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { appOver } from "../support/app.ts";
import type { Answer } from "../support/comparing.ts";
import { endsBefore } from "../support/ends-before.ts";
import { heardLog } from "../support/heard.ts";
import { KEYS, liveBox } from "../support/live.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { startVenue } from "../venues/index.ts";
import { irisPool, irisServer } from "../venues/iris.ts";

/** The service over the four emulated exchanges and the emulated aggregator: ccxt's classes over real sockets. */
async function live(limit = 60_000) {
  const names = ["mexc", "gateio", "bitget", "kraken"] as const;
  const started = await Promise.all(names.map((name) => startVenue(name, { keys: KEYS })));
  onTestFinished(async () => void (await Promise.all(started.map((one) => one.close()))));
  const [mexc, gateio, bitget, kraken] = started as [
    (typeof started)[0],
    (typeof started)[0],
    (typeof started)[0],
    (typeof started)[0],
  ];
  const iris = await irisServer([irisPool("SNEK", { ada: 100_000, price: 0.004, decimals: 0 })]);
  const box = await liveBox({ urls: Object.fromEntries(started.map(({ name, url }) => [name, url])) });
  const inTime = timeLimit(limit);
  const exchanges = EXCHANGES.map((id) => ({
    id,
    venue: id,
    kind: "live" as const,
    passphrase: false,
    quotes: [],
    configured: true,
  }));
  const aggregator = irisAggregator({ url: iris.url, timeoutMillis: limit });
  const { venue, venueOf, marketTime, store } = box;
  const deps: Deps = {
    kinds: kindsOf(KINDS),
    venue,
    venueOf,
    marketTime,
    store,
    exchanges,
    inTime,
    local: nodeLocal,
    log: heardLog,
    dex: connectDex({ aggregator, exchanges, venue, inTime }),
  };
  const app = await appOver(deps);
  const ask = async (path: string, token?: string) => {
    const response = await app.ask(
      `/api/v1${path}`,
      token ? { headers: { authorization: `Bearer ${token}` } } : {},
    );
    return { ...((await response.json()) as Answer), status: response.status };
  };
  return { mexc, gateio, bitget, kraken, ask, tokens: app.tokens };
}

describe("the comparison over real sockets", () => {
  it("covers the four exchanges and names those that do not list the pair", async () => {
    const { ask, mexc, bitget } = await live();
    mexc.move("ADA/USDT", "0.4");
    bitget.move("ADA/USDT", "0.41");
    const ada = await ask("/price/compare?symbol=ADA/USDT");
    expect(ada.prices.map(({ exchange }) => exchange)).toEqual(EXCHANGES);
    expect(ada.analysis).toMatchObject({ arbitrageOpportunity: true, lowestAsk: { exchange: "mexc" } });
    expect(ada.analysis.executable).toMatchObject({ opportunity: true, buy: "mexc" });
    expect((await ask("/price/compare?symbol=SNEK/USDT")).unlisted).toEqual(["bitget", "kraken"]);
    expect(await ask("/price/compare?symbol=DOGE/USDT")).toMatchObject({
      status: 400,
      error: "Invalid symbol",
    });
  });

  it("prices a token by its pools times ADA's price, and compares its pools too", async () => {
    const { ask } = await live();
    expect((await ask("/dex/price/SNEK")).status).toBe(200);
    const answer = await ask("/price/compare?symbol=SNEK/USDT&dex=true");
    expect(answer.prices.map(({ exchange }) => exchange)).toEqual(["mexc", "gateio", "MinswapV2"]);
  });

  it("uses the list fees for anonymous callers, and the account's fees for a token with read scope", async () => {
    const { ask, tokens, mexc, kraken } = await live();
    kraken.move("BTC/USDT", "61000");
    const compare = (token?: string) =>
      ask("/price/compare?symbol=BTC/USDT&exchanges=mexc,kraken&amount=0.001", token);
    const { fees } = (await compare()).analysis.executable;
    // The list was read by then; from now on the account pays less than it says.
    mexc.list("BTC/USDT", { taker: decimal("0") });
    expect((await compare()).analysis.executable.fees).toBe(fees);
    expect([mexc.count("fee"), kraken.count("fee")]).toEqual([0, 0]);
    const own = (await compare(tokens.read)).analysis.executable.fees;
    // 0.05 % of 60 USDT
    expect(fees - own).toBeCloseTo(0.03, 3);
    expect([mexc.count("fee"), kraken.count("fee")]).toEqual([1, 1]);
    expect(await compare("wrong")).toMatchObject({ status: 401, error: "Unauthorized" });
  });

  it("times out an exchange whose ticker or book hangs without delaying the others", async () => {
    const limit = 8000;
    const compared = async (route: "ticker" | "book") => {
      const { ask, bitget } = await live(limit);
      // Only a comparison that has ended well leaves no read behind, whose late answer would serve the next one.
      const first = async () => (await ask("/price/compare?symbol=BTC/USDT")).status;
      await expect.poll(first, { timeout: 240_000 }).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 1100));
      bitget.fail({ kind: "hang", route, times: 1000 });
      const ended: string[] = [];
      // Whoever waited for one after the other would take twice as long.
      const [answer, other] = await endsBefore(2 * limit, () =>
        Promise.all([
          ask("/price/compare?symbol=BTC/USDT&partial=true").finally(() => ended.push("comparison")),
          ask("/ticker?exchange=kraken&symbol=ETH/USDT").finally(() => ended.push("ticker")),
        ]),
      );
      expect([other.status, ended], route).toEqual([200, ["ticker", "comparison"]]);
      expect(answer.prices.map(({ exchange }) => exchange)).toEqual(["mexc", "gateio", "kraken"]);
      expect(answer.failed?.map(({ exchange }) => exchange)).toEqual(["bitget"]);
    };
    // Most of their time they wait for the limit.
    await Promise.all([compared("ticker"), compared("book")]);
  });
});

it("every operation that identifies its caller is public", () => {
  const knowing = createOperations(EXCHANGES).filter(({ knowsCaller }) => knowsCaller);
  expect(knowing.map(({ name, access }) => [name, access])).toEqual([["compare_prices", "public"]]);
});
