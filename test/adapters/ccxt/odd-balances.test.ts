import { describe, expect, it, onTestFinished } from "vitest";
import { kindsOf } from "../../../src/engine/accounts.ts";
import { runRound } from "../../../src/engine/pass/round.ts";
import { SECOND } from "../../../src/kernel/time.ts";
import { kindsWith } from "../../../src/kinds.ts";
import type { VenueName } from "../../../src/model/market.ts";
import { bearer } from "../../contract/suite.ts";
import { twoSided } from "../../own/deeds.ts";
import { addTokens, servedOver } from "../../support/app.ts";
import { emulatedExchanges } from "../../support/emulated.ts";
import { gridRequest } from "../../support/requests.ts";
import { startOf } from "../../support/starts.ts";

const PAIR = "BTC/USDT";

type Rows = Record<string, Record<string, unknown>>;
interface OddAccount {
  readonly name: VenueName;
  readonly unified?: boolean;
  /** The row of another coin, as public reports show it. */
  readonly odd: (asset: string) => (body: never) => unknown;
}

const inList =
  (coin: string, over: object) =>
  (asset: string) =>
  (rows: readonly Record<string, unknown>[]): unknown =>
    rows.map((row) => (row[coin] === asset ? { ...row, ...over } : row));

const inData = (over: object) => (asset: string) => (body: { data: never }) => ({
  ...body,
  data: inList("coin", over)(asset)(body.data),
});

const unifiedBitget = (over: object) => (asset: string) => (body: { data: { assets: never } }) => ({
  ...body,
  data: { ...body.data, assets: inList("coin", over)(asset)(body.data.assets) },
});

const mexcRows = (over: object) => (asset: string) => (body: { balances: never }) => ({
  ...body,
  balances: inList("asset", over)(asset)(body.balances),
});

const krakenRows = (row: unknown) => (asset: string) => (body: { result: Rows }) => ({
  ...body,
  result: { ...body.result, [asset === "BTC" ? "XXBT" : asset]: row },
});

const ACCOUNTS: readonly (readonly [string, OddAccount])[] = [
  [
    "kraken, negative",
    { name: "kraken", odd: krakenRows({ balance: "-0.0012000000", hold_trade: "0.0000000000" }) },
  ],
  ["kraken, null", { name: "kraken", odd: krakenRows(null) }],
  ["gateio, negative", { name: "gateio", odd: inList("currency", { available: "-0.5" }) }],
  ["gateio, no number", { name: "gateio", odd: inList("currency", { locked: "n/a" }) }],
  [
    "unified gateio, negative",
    {
      name: "gateio",
      unified: true,
      odd: (asset) => (body: { balances: Rows }) => ({
        ...body,
        balances: { ...body.balances, [asset]: { ...body.balances[asset], available: "-0.5" } },
      }),
    },
  ],
  [
    "unified gateio, null",
    {
      name: "gateio",
      unified: true,
      odd: (asset) => (body: { balances: Rows }) => ({
        ...body,
        balances: { ...body.balances, [asset]: null },
      }),
    },
  ],
  ["bitget, null", { name: "bitget", odd: inData({ available: null }) }],
  ["bitget, empty", { name: "bitget", odd: inData({ available: "", frozen: "" }) }],
  ["unified bitget, null", { name: "bitget", unified: true, odd: unifiedBitget({ available: null }) }],
  [
    "unified bitget, empty",
    { name: "bitget", unified: true, odd: unifiedBitget({ available: "", locked: "" }) },
  ],
  ["mexc, null", { name: "mexc", odd: mexcRows({ free: null }) }],
  ["mexc, empty", { name: "mexc", odd: mexcRows({ free: "", locked: "" }) }],
];

interface Shown {
  readonly status: string;
  readonly filledOrders: number;
  readonly lastError: string | null;
  readonly refused: readonly { readonly reason: string; readonly detail?: string }[];
}

async function account({ name, unified = false }: OddAccount) {
  const setup = await emulatedExchanges({ names: [name], venue: { unified } });
  onTestFinished(setup.close);
  const { time } = setup;
  const deps = { ...setup.deps, kinds: kindsOf(kindsWith([twoSided])) };
  await addTokens(deps.store);
  const app = servedOver(deps, { definitions: [twoSided] });
  const headers = { ...bearer(app.tokens.admin), "content-type": "application/json" };
  const ask = async <T>(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: T }> => {
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const answer = await app.ask(`/api/v1${path}`, init);
    return { status: answer.status, body: (await answer.json()) as T };
  };
  const venue = setup.exchange(name);
  return {
    ask,
    venue,
    pass: async (count = 1) => {
      for (let at = 0; at < count; at++) {
        time.pass(5 * SECOND);
        venue.advance();
        for (const { outcome, message } of await runRound(deps)) expect(outcome, message).not.toBe("failed");
      }
    },
    start: async (over: object = {}) => {
      const { body } = await ask<{ id: string }>(
        "POST",
        "/strategy/grid",
        gridRequest({ exchange: name, gridLevels: 4, orderSize: 100, stopLossPrice: 55_000, ...over }),
      );
      return body.id;
    },
    status: async (id: string) =>
      (await ask<{ strategies: Shown[] }>("GET", `/strategy/grid/status?id=${id}`)).body
        .strategies[0] as Shown,
  };
}

describe.each(ACCOUNTS)("an account on %s in the balance of another coin", (_, odd) => {
  it("trades on, sells at its stop price, and shows the balance as unreadable", async () => {
    const { ask, venue, pass, start, status } = await account(odd);
    venue.alter("balance", odd.odd("ADA"));
    const id = await start();
    await pass(4);
    expect(venue.open(PAIR)).toHaveLength(4);
    const [buy] = venue.open(PAIR).filter(({ side }) => side === "buy");
    venue.fill(buy?.id ?? "");
    await pass(3);
    expect(await status(id)).toMatchObject({ status: "running", filledOrders: 1, lastError: null });
    expect(venue.open(PAIR)).toHaveLength(4);

    const { status: code, body } = await ask<{
      balances: { asset: string }[];
      unreadable: { asset: string; reason: string }[];
    }>("GET", `/balance?exchange=${odd.name}`);
    expect(code).toBe(200);
    const assets = body.balances.map(({ asset }) => asset);
    expect(assets).toContain("USDT");
    expect(assets).not.toContain("ADA");
    expect(body.unreadable).toEqual([{ asset: "ADA", reason: expect.stringMatching(/./) }]);

    venue.move(PAIR, "54900");
    await pass(6);
    expect((await status(id)).status).toBe("stopped");
    expect(venue.open(PAIR)).toEqual([]);
  });
});

it.each(ACCOUNTS)("on %s, only orders that need the unreadable balance wait", async (_, odd) => {
  const { venue, pass, start, status, ask } = await account(odd);
  const id = await start();
  await pass(4);
  venue.alter("balance", odd.odd("BTC"));
  const [buy] = venue.open(PAIR).filter(({ side }) => side === "buy");
  const [sell] = venue.open(PAIR).filter(({ side }) => side === "sell");
  venue.fill(buy?.id ?? "");
  await pass(2);
  const waiting = await status(id);
  expect(waiting).toMatchObject({ status: "running", filledOrders: 1 });
  expect(waiting.refused).toEqual([
    expect.objectContaining({ reason: "balance_unreadable", detail: expect.stringContaining("BTC") }),
  ]);
  // The buy after a sell needs no base.
  venue.fill(sell?.id ?? "");
  await pass(2);
  expect((await status(id)).filledOrders).toBe(2);
  expect(venue.open(PAIR).filter(({ side }) => side === "buy")).toHaveLength(2);
  const one = await ask<{ message: string }>("GET", `/balance?exchange=${odd.name}&asset=BTC`);
  expect(one.body).toMatchObject({ balances: [], unreadable: [{ asset: "BTC" }] });

  venue.alter("balance");
  await pass(3);
  expect(await status(id)).toMatchObject({ status: "running", refused: [] });
  expect(venue.open(PAIR)).toHaveLength(4);
});

const BUDGETS = { quoteBudget: 1000, baseBudget: 0.1, size: 100, spreadPercent: 1 };
const POSITIONS = [
  ["quotes", "quote", { ...BUDGETS, levels: 1, useOthers: false }],
  ["an own strategy", "two-sided", BUDGETS],
] as const;

it.each(ACCOUNTS.flatMap(([label, odd]) => POSITIONS.map((position) => [label, ...position, odd] as const)))(
  "an account on %s in the balance of another coin: %s trade on",
  async (_, _kind, definition, more, odd) => {
    const { ask, venue, pass } = await account(odd);
    venue.alter("balance", odd.odd("ADA"));
    const { body } = await ask<{ id: string }>(
      "POST",
      ...startOf(definition, { exchange: odd.name, symbol: PAIR, ...more }),
    );
    await pass(2);
    const [buy] = venue.open(PAIR).filter(({ side }) => side === "buy");
    expect(venue.open(PAIR)).toHaveLength(2);
    venue.fill(buy?.id ?? "");
    venue.move(PAIR, "59000");
    await pass(4);
    expect(
      venue
        .open(PAIR)
        .map(({ side }) => side)
        .sort(),
    ).toEqual(["buy", "sell"]);
    expect((await ask("GET", `/strategies/${body.id}`)).body).toMatchObject({
      status: "running",
      filledOrders: 1,
      lastError: null,
    });
  },
);
