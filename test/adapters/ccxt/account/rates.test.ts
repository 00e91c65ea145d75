import { describe, expect, it } from "vitest";
import type { ExchangeLink } from "../../../../src/adapters/ccxt/account/exchange-link.ts";
import { accountKindReader } from "../../../../src/adapters/ccxt/account/session.ts";
import { accountFeeReader, buyFeeIn } from "../../../../src/adapters/ccxt/account/venue.ts";
import type { AccountKind } from "../../../../src/adapters/ccxt/client/ccxt.ts";
import { BudgetSpent, VenueError } from "../../../../src/kernel/errors.ts";
import { DAY, HOUR, MINUTE } from "../../../../src/kernel/time.ts";
import type { Keys } from "../../../../src/ports/venue.ts";
import { d } from "../../../support/grid.ts";
import { memoryAdapterStore } from "../../../venues/adapter-store.ts";

const ACCOUNT = "live:mexc:api.mexc.com";
const PAIR = "BTC/USDT";

/** A link whose clock moves when told; what an account's memory has is shared with `other`. */
function linked(own: object = {}) {
  const time = { now: 1_000_000 };
  const keeping = memoryAdapterStore(() => time.now);
  const log: unknown[][] = [];
  const link = () =>
    ({
      quirks: { name: "mexc", buyFeeIn: "unknown" },
      keeping,
      local: { monotonic: () => time.now },
      fees: new Map(),
      buyFees: new Map(),
      kinds: new Map(),
      log: (...entry: unknown[]) => void log.push(entry),
      ...own,
    }) as unknown as ExchangeLink;
  return { time, keeping, log, link };
}

describe("an account's fees", () => {
  function reading() {
    const { link, ...rest } = linked();
    const state: { answer: unknown; hasKeys: boolean; calls: number } = {
      answer: { maker: "0.001", taker: "0.002" },
      hasKeys: true,
      calls: 0,
    };
    const session = {
      keys: async () => (state.hasKeys ? {} : undefined),
      async read() {
        state.calls++;
        if (state.answer instanceof Error) throw state.answer;
        return state.answer;
      },
    };
    const create = () => accountFeeReader(link(), ACCOUNT, session as never);
    return { ...rest, state, create, fees: create() };
  }
  const RATES = { maker: d("0.001"), taker: d("0.002") };

  it("are read once a day, also by another process", async () => {
    const { fees, create, state, time } = reading();
    expect([await fees(PAIR), await fees(PAIR), state.calls]).toEqual([RATES, RATES, 1]);
    expect([await create()(PAIR), state.calls]).toEqual([RATES, 1]);
    time.now += DAY - 1;
    state.answer = { maker: "0.003", taker: "0.004" };
    const other = create();
    expect([await fees(PAIR), await other(PAIR), state.calls]).toEqual([RATES, RATES, 1]);
    time.now += 1;
    const newer = { maker: d("0.003"), taker: d("0.004") };
    expect([await fees(PAIR), await other(PAIR), state.calls]).toEqual([newer, newer, 2]);
    expect([await fees("ETH/USDT"), state.calls]).toEqual([newer, 3]);
  });

  it("are unknown without keys", async () => {
    const { fees, state } = reading();
    state.hasKeys = false;
    expect([await fees(PAIR), state.calls]).toEqual([undefined, 0]);
  });

  it("are the old ones while they cannot be read, and asked for again after ten minutes", async () => {
    const { fees, state, time, log } = reading();
    state.answer = new VenueError("unavailable", "down");
    expect([await fees(PAIR), await fees(PAIR), state.calls]).toEqual(["unread", "unread", 1]);
    expect(log).toEqual([
      ["warn", "mexc does not show this account's fees", { symbol: PAIR, reason: "down" }],
    ]);
    time.now += 10 * MINUTE;
    state.answer = { maker: "0.001", taker: "0.002" };
    expect([await fees(PAIR), state.calls]).toEqual([RATES, 2]);
    time.now += DAY;
    state.answer = new VenueError("unavailable", "down");
    expect([await fees(PAIR), await fees(PAIR), state.calls]).toEqual([RATES, RATES, 3]);
  });

  it("are the old ones without a call left, and unread without any", async () => {
    const { fees, state, time, log } = reading();
    const spent = new BudgetSpent("none left", 5);
    state.answer = spent;
    expect(await fees(PAIR)).toBe("unread");
    state.answer = { maker: "0.001", taker: "0.002" };
    await fees(PAIR);
    time.now += DAY;
    state.answer = spent;
    expect([await fees(PAIR), await fees(PAIR), state.calls, log]).toEqual([RATES, RATES, 4, []]);
    state.answer = new TypeError("x");
    await expect(fees(PAIR)).rejects.toThrow("x");
  });

  it("are remembered of a thousand pairs", async () => {
    const { fees, state, keeping } = reading();
    let stored = 0;
    const { fees: read } = keeping.markets;
    const countedFees = async (...of: Parameters<typeof read>) => {
      stored++;
      return read(...of);
    };
    Object.assign(keeping.markets, { fees: countedFees });
    for (let index = 0; index < 1000; index++) await fees(`A${index}/USDT`);
    await fees("A0/USDT");
    expect([state.calls, stored]).toEqual([1000, 1000]);
    await fees(PAIR);
    await fees("A0/USDT");
    expect([state.calls, stored]).toEqual([1001, 1002]);
  });
});

describe("the asset of the fees of buys", () => {
  function learning(
    bought: readonly (readonly [pair: `${string}/${string}`, ...assets: string[]])[],
    own: object = {},
  ) {
    const { link, time, keeping } = linked(own);
    let reads = 0;
    const rows = { bought };
    Object.assign(keeping.traded, {
      buyFees: async () => {
        reads++;
        return rows.bought.map(([symbol, ...assets]) => ({
          symbol,
          fees: assets.map((asset) => ({ asset, amount: 1n })),
        }));
      },
    });
    const one = link();
    return { time, rows, reads: () => reads, asset: (account = ACCOUNT) => buyFeeIn(one, account) };
  }

  it("is the exchange's where all accounts are alike", async () => {
    const { asset, reads } = learning([], { quirks: { buyFeeIn: "quote" } });
    expect([await asset(), reads()]).toEqual(["quote", 0]);
  });

  it.each([
    ["base", [["BTC/USDT", "BTC"]]],
    ["quote", [["BTC/USDT", "USDT"]]],
    ["base", [["BTC/USDT", "USDT", "BTC"]]],
    ["quote", [["BTC/USDT", "MX"], ["ETH/USDT"], ["ADA/USDT", "USDT"]]],
    ["unknown", [["BTC/USDT", "MX"], ["ETH/USDT"]]],
    ["unknown", []],
  ] as const)("is %s after buys with fees in %j", async (asset, bought) => {
    expect(await learning(bought as never).asset()).toBe(asset);
  });

  it("is read again after an hour, or a minute while it is unknown", async () => {
    const { asset, rows, time, reads } = learning([]);
    expect([await asset(), reads()]).toEqual(["unknown", 1]);
    rows.bought = [["BTC/USDT", "BTC"]];
    time.now += MINUTE - 1;
    expect([await asset(), reads()]).toEqual(["unknown", 1]);
    time.now += 1;
    expect([await asset(), reads()]).toEqual(["base", 2]);
    time.now += HOUR - 1;
    rows.bought = [["BTC/USDT", "USDT"]];
    expect([await asset(), reads()]).toEqual(["base", 2]);
    time.now += 1;
    expect([await asset(), reads()]).toEqual(["quote", 3]);
  });

  it("is remembered of a thousand accounts", async () => {
    const { asset, reads } = learning([["BTC/USDT", "BTC"]]);
    for (let index = 0; index < 1000; index++) await asset(`${ACCOUNT}#${index}`);
    await asset(`${ACCOUNT}#0`);
    expect(reads()).toBe(1000);
    await asset();
    await asset(`${ACCOUNT}#0`);
    expect(reads()).toBe(1002);
  });
});

describe("the kind of an account", () => {
  function kinds() {
    const { link, time, keeping } = linked({ quirks: { kinds: { ask: async () => state.answer } } });
    const state: { answer: AccountKind; key: string | undefined } = { answer: "unified", key: "k1" };
    const keys = async () => (state.key === undefined ? undefined : ({ hash: state.key } as Keys));
    let asked = 0;
    const create = () => {
      const reader = accountKindReader(link(), ACCOUNT, keys);
      const ask = async () => {
        asked++;
        return reader.ask({} as never);
      };
      return {
        ...reader,
        settle: () => reader.settled(ask),
        fail: () => reader.settled(() => Promise.reject(new Error("down"))),
      };
    };
    return { time, keeping, state, create, reader: create(), asked: () => asked };
  }

  it("is asked for once a day, also by another process, and used while that fails", async () => {
    const { reader, create, time, asked, state } = kinds();
    expect([await reader.settle(), await reader.settle(), await create().settle(), asked()]).toEqual([
      "unified",
      "unified",
      "unified",
      1,
    ]);
    time.now += DAY - 1;
    state.answer = "classic";
    expect([await reader.settle(), asked()]).toEqual(["unified", 1]);
    time.now += 1;
    expect(await create().fail()).toBe("unified");
    expect(await reader.fail()).toBe("unified");
    // For ten minutes nobody asks again.
    expect([await reader.settle(), asked()]).toEqual(["unified", 1]);
    time.now += 10 * MINUTE;
    expect([await reader.settle(), asked()]).toEqual(["classic", 2]);
  });

  it("is not known from another key, and of none at first", async () => {
    const { reader, state, asked, create } = kinds();
    await expect(reader.fail()).rejects.toThrow("down");
    await reader.settle();
    state.key = "k2";
    state.answer = "classic";
    expect([await reader.settle(), asked()]).toEqual(["classic", 2]);
    state.key = "k3";
    await expect(create().fail()).rejects.toThrow("down");
    state.key = undefined;
    expect([await reader.settle(), await reader.settle(), asked()]).toEqual(["classic", "classic", 3]);
  });

  it("is remembered of a thousand accounts", async () => {
    const { link } = linked({ quirks: { kinds: { ask: async () => "unified" } } });
    const one = link();
    for (let index = 0; index <= 1000; index++)
      await accountKindReader(one, `${ACCOUNT}#${index}`, async () => undefined).ask({} as never);
    expect([...one.kinds.keys()]).toEqual([`${ACCOUNT}#1000`]);
  });

  it("is doubted at most every ten minutes, by every process", async () => {
    const { reader, create, time, asked, state } = kinds();
    await reader.doubt();
    await reader.settle();
    state.answer = "classic";
    time.now += 10 * MINUTE - 1;
    await reader.doubt();
    expect([await reader.settle(), asked()]).toEqual(["unified", 1]);
    time.now += 1;
    await reader.doubt();
    expect([await create().settle(), asked()]).toEqual(["classic", 2]);
    expect([await reader.settle(), asked()]).toEqual(["classic", 2]);
  });
});
