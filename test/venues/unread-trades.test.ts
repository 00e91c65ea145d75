import { expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { MINUTE, SECOND } from "../../src/kernel/time.ts";
import { accountKey } from "../../src/model/account.ts";
import { VENUES, type VenueName } from "../../src/model/market.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";

const PAIR = "ADA/USDT";
const NAMES = Object.keys(VENUES) as VenueName[];

interface Status {
  readonly status: string;
  readonly lastError: string | null;
  readonly feesEstimated: boolean;
  readonly refused: readonly { readonly reason: string; readonly detail?: string }[];
  readonly unexplained: {
    readonly order: string | null;
    readonly trades: readonly { readonly order: string }[];
  };
}

/** A grid of eight orders, and two buys of it that fill: the first one's fees are not told. */
async function grid(name: VenueName) {
  const setup = await emulatedExchanges({
    names: [name],
    timing: { requestTimeout: 5000, readLag: 20 * SECOND },
  });
  onTestFinished(setup.close);
  const { deps, time } = setup;
  const exchange = setup.exchange(name);
  const pass = async (millis = 5 * SECOND) => {
    time.pass(millis);
    exchange.advance();
    for (const { outcome, message } of await runRound(deps)) expect(outcome, message).not.toBe("failed");
  };
  const { id } = await runOperation<{ id: string }>(
    deps,
    "start_grid",
    gridInput({
      exchange: name,
      symbol: PAIR,
      lowerPrice: decimal("0.44"),
      upperPrice: decimal("0.56"),
      gridLevels: 8,
      orderSize: decimal("20"),
    }),
  );
  for (let count = 0; count < 6; count++) await pass();
  const buys = exchange.open(PAIR).filter(({ side }) => side === "buy");
  const ours = ({ clientId }: { readonly clientId: string }) => clientId.replace(/^t-/, "");
  const [unreported, result] = [buys[0], buys[1]];
  if (!unreported || !result) throw new Error("no buys rest");
  exchange.tellFees(unreported.id, false);
  for (const order of [unreported, result]) exchange.fill(order.id);
  await pass();
  return {
    exchange,
    pass,
    names: { unreported: ours(unreported), result: ours(result) },
    orders: { unreported, result },
    status: async () =>
      (await runOperation<{ strategies: [Status] }>(deps, "get_grid_status", { id })).strategies[0],
    events: () => deps.store.eventsOf(id, { limit: 100 }),
    row: async (order: { readonly id: string }) => {
      const account = accountKey(deps.venue(name).account);
      const [row] = await deps.store.ordersByIds(account, { exchange: [order.id], client: [] });
      if (!row) throw new Error("it has no row");
      return row;
    },
  };
}

it.each(NAMES)("on %s a trade without its fee is reported once and delays no other", async (name) => {
  const { pass, names, orders, status, events, row, exchange } = await grid(name);
  expect(await row(orders.result)).toMatchObject({ booked: orders.result.filled, settled: true });
  expect(await row(orders.unreported)).toMatchObject({ booked: 0n, fees: null, settled: false });
  expect(await status()).toMatchObject({
    status: "running",
    unexplained: { order: names.unreported, trades: [{ order: names.unreported }] },
  });
  await pass();
  const results = (await events()).filter(({ kind }) => kind === "unreadable");
  expect(results).toEqual([expect.objectContaining({ message: expect.stringContaining(names.unreported) })]);

  exchange.tellFees(orders.unreported.id, true);
  await pass();
  expect(await row(orders.unreported)).toMatchObject({ booked: orders.unreported.filled, settled: true });
  expect(await status()).toMatchObject({ status: "running", unexplained: { order: null, trades: [] } });
});

it.each(NAMES)(
  "on %s an order whose fees are never reported is booked with estimated ones, and never counts as free",
  async (name) => {
    const { pass, names, orders, status, row, exchange } = await grid(name);
    for (let count = 0; count < 12; count++) await pass(MINUTE);
    const { bookedFees, ...booked } = await row(orders.unreported);
    expect(booked).toMatchObject({ booked: orders.unreported.filled, fees: null, settled: true });
    expect(Object.values(bookedFees).filter((fee) => fee > 0n)).toHaveLength(1);
    expect(await status()).toMatchObject({
      status: "running",
      lastError: null,
      feesEstimated: true,
      unexplained: { order: null, trades: [] },
    });

    // Reported in the end, its trade changes nothing: its amount is booked.
    exchange.tellFees(orders.unreported.id, true);
    for (let count = 0; count < 3; count++) await pass(5 * MINUTE);
    expect(await row(orders.unreported)).toMatchObject({ booked: orders.unreported.filled, bookedFees });
    expect((await status())?.refused.map(({ detail }) => detail)).not.toContain(names.unreported);
  },
);
