import { createClient } from "@libsql/client";
import type { Miniflare, RequestInit as WorkerRequestInit } from "miniflare";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseDecimal, text } from "../../src/kernel/decimal.ts";
import type { VenueName } from "../../src/model/market.ts";
import { TOKENS } from "../support/app.ts";
import { deployment } from "../support/deployment.ts";
import { fireCron } from "../support/edge-live.ts";
import { heard } from "../support/heard.ts";
import { gridRequest } from "../support/requests.ts";
import { eventually } from "../support/server.ts";
import type { EmulatedVenue } from "../venues/index.ts";
import { balanceRows } from "../venues/kraken-words.ts";

const MINUTE = 60_000;
const NAMES: readonly VenueName[] = ["mexc", "gateio", "bitget", "kraken"];
const GRID = { symbol: "BTC/USDT", lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 4, orderSize: 100 };

/** What the tests read of answers; each has some of it. */
interface Answer {
  readonly error?: string;
  readonly message?: string;
  readonly orderId?: string;
  readonly order?: { readonly id: string };
  readonly balances?: readonly { readonly total: string }[];
  readonly strategies?: readonly Shown[];
}
interface Shown {
  readonly status: string;
  readonly filledOrders: number;
  readonly lastError: string | null;
  readonly refused: readonly object[];
  readonly unexplained: {
    readonly order: string | null;
  };
}

let edge: Awaited<ReturnType<typeof deployment>>;
let worker: Miniflare;
let minute = Date.UTC(2026, 0, 1);
beforeAll(async () => {
  // Without the queue: what it tries again 10 s later would hold up the crons that follow here at once.
  edge = await deployment(1, {
    queue: false,
    settings: {
      EDGEMAKER_SUBREQUESTS: "900",
      EDGEMAKER_TIMING: "readLag=200,secondMiss=200,overlap=2000",
    },
  });
  worker = await edge.start();
});
afterAll(async () => {
  await worker?.dispose();
  await edge?.close();
});
afterEach(() => {
  for (const name of NAMES) expect(edge.accounts.venues[name].selfTrades(), name).toEqual([]);
});

async function ask(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${TOKENS.admin}`, "content-type": "application/json" };
  const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const answer = await worker.dispatchFetch(`http://localhost/api/v1${path}`, init as WorkerRequestInit);
  const response = heard(path, answer as unknown as Response);
  return { status: response.status, body: (await response.json()) as Answer };
}
const execute = async (statement: string) => {
  const client = createClient({ url: edge.database.url });
  await client.execute(statement);
  client.close();
};
/** The next minute's cron, as if what waits for a failed account or for a counter had been waited for. */
async function cron() {
  await edge.rested();
  await execute("update accounts set retry_at = 0");
  minute += MINUTE;
  await fireCron(worker, minute);
}
const status = async (id: string) =>
  (await ask("GET", `/strategy/grid/status?id=${id}`)).body.strategies?.[0] as Shown;
const statusOnce = (id: string, holds: (shown: Shown) => boolean) =>
  eventually(async () => {
    await cron();
    return status(id);
  }, holds);
const ours = ({ clientId }: { readonly clientId: string }) => clientId.replace(/^t-/, "");
const stop = (id: string) => ask("DELETE", "/strategy/grid", { id, cancelOrders: true });

it.each(["gateio", "kraken"] as const)(
  "a stop on %s cancels although trades are unreadable, and ends at a cron that can read them",
  async (name) => {
    const venue = edge.accounts.venues[name];
    const id = await edge.startGrid(worker, { exchange: name, ...GRID });
    const [bought, ...rest] = venue.open();
    expect(rest).toHaveLength(3);
    // What is filled has to be read before anything else is done about it.
    venue.fill(bought?.id ?? "");
    venue.fail({ kind: "server_error", route: "fills", times: 1000 });
    const { body } = await stop(id);
    expect(venue.open()).toEqual([]);
    expect(body.message).toMatch(/is stopping: the exchange accepted the cancels of 3 orders/);
    expect(body.message).not.toMatch(/cancelled/);

    const before = edge.turns.length;
    await cron();
    const [turn] = await eventually(
      async () => edge.turns.slice(before).filter(({ account }) => account.startsWith(`live:${name}:`)),
      (turns) => turns.length > 0,
    );
    expect(turn?.outcome).toBe("failed");
    expect((await status(id)).status).toBe("running");
    venue.heal();
    const { filledOrders } = await statusOnce(id, (shown) => shown.status === "stopped");
    expect(filledOrders).toBe(1);
  },
);

it.each(["mexc", "bitget"] as const)(
  "on %s an order without reported fees is booked with estimated ones, and never counts as free of fees",
  async (name) => {
    const venue = edge.accounts.venues[name];
    const id = await edge.startGrid(worker, {
      ...gridRequest({
        exchange: name,
        symbol: "ADA/USDT",
        lowerPrice: 0.44,
        upperPrice: 0.56,
        gridLevels: 4,
        orderSize: 20,
      }),
    });
    const [unreported] = venue.open("ADA/USDT").filter(({ side }) => side === "buy");
    if (!unreported) throw new Error("no buy rests");
    venue.tellFees(unreported.id, false);
    venue.fill(unreported.id);
    const row = async () => {
      const account = `live:${name}:${new URL(venue.url).host}`;
      const [found] = await edge.database.deps.store.ordersByIds(account, {
        exchange: [unreported.id],
        client: [],
      });
      return found;
    };
    await statusOnce(id, ({ unexplained }) => unexplained.order === ours(unreported));
    expect(await row()).toMatchObject({ filled: unreported.amount, booked: 0n, fees: null, settled: false });

    // The ten minutes that are given to it, gone by.
    await execute(
      `update orders set behind_since = behind_since - ${11 * MINUTE} where client_id = '${ours(unreported)}'`,
    );
    await eventually(
      async () => {
        await cron();
        return row();
      },
      (found) => found?.settled === true,
    );
    const found = await row();
    expect(found).toMatchObject({ booked: unreported.amount, fees: null });
    expect(Object.values(found?.bookedFees ?? {}).filter((fee) => fee > 0n)).toHaveLength(1);
    expect((await status(id)).status).toBe("running");
    await stop(id);
    await statusOnce(id, (shown) => shown.status === "stopped");
  },
);

it("the worker counts kraken balances that earn rewards as their asset", async () => {
  const { kraken } = edge.accounts.venues;
  kraken.earn("LTC");
  expect(balanceRows(kraken.account)).toMatchObject({
    XLTC: { balance: expect.stringMatching(/^0\.0+$/) },
    "LTC.F": { balance: expect.stringMatching(/^100\.0+$/) },
  });
  const { body } = await ask("GET", "/balance?exchange=kraken&asset=LTC");
  expect(body.balances?.map(({ total }) => parseDecimal(total))).toEqual([kraken.total("LTC")]);
  // At its lower end every order of the grid sells, of what earns rewards alone.
  kraken.move("LTC/USDT", "70");
  const range = { lowerPrice: 70, upperPrice: 80, gridLevels: 4, orderSize: 20 };
  await edge.startGrid(worker, { exchange: "kraken", symbol: "LTC/USDT", ...range });
  expect(kraken.open("LTC/USDT").map(({ side }) => side)).toEqual(["sell", "sell", "sell", "sell"]);
});

/** What says that an order would take; bitget says it in the order's state. */
const TAKES: Readonly<Record<Exclude<VenueName, "bitget">, string>> = {
  mexc: "30041: Current order type can not place order",
  gateio: "POC_FILL_IMMEDIATELY: Order would match and take immediately",
  kraken: "EOrder:Post only order",
};

/** A refusal that is certain, as each exchange says it. */
const WORDS: Readonly<Record<VenueName, readonly [code: string, text: string]>> = {
  mexc: ["30016", "Trading disabled"],
  gateio: ["INVALID_CURRENCY_PAIR", "The currency pair is not tradable"],
  bitget: [
    "40085",
    "You are in Unified Account mode, and the Classic Account API is not supported at this time",
  ],
  kraken: ["EAccount:Invalid permissions", "BTC trading restricted for DE."],
};

describe.each(NAMES)("a manual order on %s", (name) => {
  let venue: EmulatedVenue;
  beforeAll(() => {
    venue = edge.accounts.venues[name];
  });
  const order = (over: object) =>
    ask("POST", "/orders", {
      exchange: name,
      symbol: "ETH/USDT",
      side: "buy",
      type: "limit",
      amount: 0.01,
      ...over,
    });

  it("is rejected before sending if it would cross our own order", async () => {
    venue.move("ETH/USDT", "3000");
    const sell = await order({ side: "sell", price: 3030, postOnly: true });
    expect(sell.status).toBe(200);
    const id = sell.body.order?.id ?? "";
    expect(venue.order(id)).toMatchObject({ force: "maker", status: "open" });
    venue.resetCounts();
    for (const over of [{}, { postOnly: true }]) {
      expect(await order({ price: 3030, ...over })).toMatchObject({
        status: 409,
        body: { error: "Would self-cross", message: expect.stringContaining(id), orderId: id },
      });
    }
    expect(venue.count("create")).toBe(0);
  });

  it("is not placed if it is post-only and would take", async () => {
    const { body } = await order({ side: "sell", price: 2900, postOnly: true });
    // Bitget accepts such an order and cancels it; the others refuse it, each in its own words.
    if (name === "bitget") expect(body.order).toMatchObject({ status: "canceled", filled: 0 });
    else expect(body).toMatchObject({ error: "Order failed", message: expect.stringContaining(TAKES[name]) });
    expect(venue.open("ETH/USDT").filter(({ price }) => text(price) === "2900")).toEqual([]);
    expect(venue.executions().filter(({ order: { listing } }) => listing.symbol === "ETH/USDT")).toEqual([]);
  });

  it("is rejected with the exchange's message", async () => {
    const [code, words] = WORDS[name];
    venue.fail({ kind: "says", route: "create", code, text: words });
    const { body } = await order({ price: 2900 });
    expect(body.error).toBe("Order failed");
    expect(body.message).toContain(code);
    expect(body.message).toContain(words);
  });
});
