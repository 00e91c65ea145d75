/** What a quiet year is made of: a grid, time that passes with and without it, and what both sides say of each fill. */

import { runRound } from "../../src/engine/pass/round.ts";
import { movedBase } from "../../src/grid/booking.ts";
import { asGrid } from "../../src/grid/state/state.ts";
import { decimal, text, ZERO } from "../../src/kernel/decimal.ts";
import { isOurs } from "../../src/kernel/ids.ts";
import { DAY, type Millis, SECOND } from "../../src/kernel/time.ts";
import { accountKey } from "../../src/model/account.ts";
import type { Side, VenueName } from "../../src/model/market.ts";
import type { Order as OrderRow } from "../../src/model/order.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";
import type { Order } from "./order.ts";

const PAIR = "ADA/USDT";
const BETWEEN = 5 * SECOND;
/** Passes after an execution is shown, within which it has to be booked. */
const SOON = 2;
/** So long a fill that was not booked soon is still waited for. */
const MAX_TICKS_TO_BOOK = 24;

export type Year = Awaited<ReturnType<typeof createYear>>;

interface Grid {
  readonly status: string;
  readonly lastError: string | null;
  readonly refused: readonly { readonly slot: number; readonly reason: string; readonly detail?: string }[];
  readonly unexplained: {
    readonly order: string | null;
    readonly assets: Readonly<Record<string, string>>;
    readonly trades?: readonly { readonly order: string }[];
  };
}

export async function createYear(name: VenueName, unified = false) {
  const setup = await emulatedExchanges({
    names: [name],
    venue: { unified },
    timing: { requestTimeout: 5000, readLag: 20 * SECOND, secondMiss: 5 * SECOND },
  });
  const { time } = setup;
  const exchange = setup.exchange(name);
  const account = accountKey(setup.deps.venue(name).account);
  const began = time.now();
  const violations: string[] = [];
  /** Orders whose fees the exchange never told. */
  const forgotten = new Set<string>();
  /** An order that the exchange may not tell of any more. */
  let maybeNamed: string | undefined;
  let deps = setup.deps;
  let id = "";
  let last: Side = "sell";
  let [passes, slowest] = [0, 0];

  const violate = (what: string) =>
    violations.push(`day ${((time.now() - began) / DAY).toFixed(1)}: ${what}`);

  const pass = async (after: Millis = BETWEEN) => {
    time.pass(after);
    exchange.advance();
    passes++;
    for (const { outcome, message } of await runRound(deps))
      if (outcome === "failed") violate(`a pass failed: ${message}`);
  };

  const ourId = ({ clientId }: Order) => clientId.replace(/^t-/, "");
  const resting = (): Order[] => exchange.open(PAIR).filter((order) => isOurs(ourId(order)));

  /** The resting order nearest the market, on the other side than the last one that was met, if there is one. */
  function nearest(side: Side = last === "buy" ? "sell" : "buy"): Order {
    const price = exchange.engine.prices.now(PAIR);
    const away = (order: Order) => (order.price < price ? price - order.price : order.price - price);
    const chosen = resting().sort((a, b) => (away(a) < away(b) ? -1 : 1));
    const order = chosen.find((one) => one.side === side) ?? chosen[0];
    if (!order) throw new Error("no order");
    return order;
  }

  function meet(order: Order): Order {
    last = order.side;
    exchange.fill(order.id);
    exchange.move(PAIR, text(order.price));
    return order;
  }

  const grid = async (): Promise<Grid> =>
    (await runOperation<{ strategies: Grid[] }>(deps, "get_grid_status", { id })).strategies[0] as Grid;

  const rows = async (orders: readonly Order[]): Promise<ReadonlyMap<string, OrderRow>> => {
    const ids = { exchange: orders.map((order) => order.id), client: [] };
    return new Map((await deps.store.ordersByIds(account, ids)).map((row) => [row.exchangeId ?? "", row]));
  };

  /** Orders of ours with executions that are not booked yet. */
  async function behind(orders: readonly Order[]): Promise<Order[]> {
    const known = await rows(orders);
    return orders.filter((order) => known.get(order.id)?.booked !== order.filled);
  }

  const filled = () =>
    exchange
      .orders()
      .filter((order) => isOurs(ourId(order)) && order.filled > ZERO && !forgotten.has(order.id));

  /** Passes until all that these orders have executed is booked. */
  async function booked(what: string, orders: readonly Order[] = filled(), soon = SOON): Promise<void> {
    const shown = Math.max(
      ...exchange.executions().map(({ order, visibleAt }) => (orders.includes(order) ? visibleAt : 0)),
    );
    while (time.now() < shown) await pass();
    let count = 0;
    while ((await behind(orders)).length > 0 && count < MAX_TICKS_TO_BOOK) {
      await pass();
      count++;
    }
    slowest = Math.max(slowest, count);
    const late = await behind(orders);
    for (const order of late)
      violate(`${what}: ${text(order.filled)} of ${ourId(order)} are not booked after ${count} passes`);
    if (late.length === 0 && count > soon) violate(`${what}: booked after ${count} passes`);
    if (late.length > 0) for (const order of late) forgotten.add(order.id);
    await explained(what);
  }

  async function explained(what: string): Promise<void> {
    const { status, lastError, unexplained } = await grid();
    if (forgotten.size > 0) return;
    if (status === "error") violate(`${what}: in error: ${lastError}`);
    if (unexplained.order !== null && unexplained.order === maybeNamed) return;
    if (unexplained.order !== null || Object.keys(unexplained.assets).length > 0)
      violate(`${what}: not explained: ${JSON.stringify(unexplained)}`);
  }

  const isNamed = ({ unexplained, refused }: Grid, order: Order): boolean =>
    unexplained.order === ourId(order) ||
    (unexplained.trades ?? []).some((one) => one.order === ourId(order)) ||
    refused.some(({ detail }) => detail?.includes(ourId(order)));

  /** Every slot rests its order or says why not, and nothing is missing for a sell. */
  async function rests(what: string): Promise<void> {
    for (let count = 0; count < 3; count++) await pass();
    const { refused } = await grid();
    for (const { slot, reason } of refused)
      if (reason !== "no_base") violate(`${what}: slot ${slot} rests nothing: ${reason}`);
  }

  async function start(): Promise<void> {
    const started = await runOperation<{ id: string }>(
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
    id = started.id;
    for (let count = 0; count < 12 && resting().length < 8; count++) await pass();
    if (resting().length < 8)
      violate(`a new grid rests ${resting().length} of 8 orders: ${JSON.stringify((await grid()).refused)}`);
  }

  async function stop(): Promise<void> {
    await runOperation(deps, "stop_strategy", { id, cancelOrders: true });
    for (let count = 0; count < MAX_TICKS_TO_BOOK && (await grid()).status !== "stopped"; count++)
      await pass();
    const { status, lastError } = await grid();
    if (status !== "stopped" && forgotten.size === 0) violate(`a stopped grid is ${status}: ${lastError}`);
    if (resting().length > 0) violate(`a stopped grid leaves ${resting().length} orders`);
    await reconciled();
  }

  /** The ledger is what the exchange has executed of the grid's orders, to the last unit. */
  async function reconciled(): Promise<void> {
    const all = exchange.executions().filter(({ order }) => !forgotten.has(order.id));
    const known = await rows([...new Set(all.map(({ order }) => order))]);
    const moved: Record<string, bigint> = { ADA: ZERO, USDT: ZERO };
    // A fee that the exchange never shows is an estimate.
    const estimated = [...known.values()].filter(
      ({ strategy, gap, fees }) => strategy === id && gap > ZERO && fees === null,
    );
    for (const { bookedFees } of estimated)
      for (const [asset, amount] of Object.entries(bookedFees))
        moved[asset] = (moved[asset] ?? ZERO) - amount;
    for (const { order, amount, notional, fee } of all) {
      const row = known.get(order.id);
      if (row?.strategy !== id) continue;
      const sign = order.side === "buy" ? 1n : -1n;
      moved.ADA = (moved.ADA ?? ZERO) + sign * amount;
      moved.USDT = (moved.USDT ?? ZERO) - sign * notional;
      if (!estimated.includes(row)) moved[fee.asset] = (moved[fee.asset] ?? ZERO) - fee.amount;
    }
    const [view] = await deps.store.strategies({ id });
    if (!view) return violate("the grid is gone") as never;
    const { state } = asGrid(view.strategy);
    const result: Record<string, bigint> = { ADA: movedBase(state), USDT: state.ledger.quote };
    for (const [asset, change] of Object.entries(moved))
      if ((result[asset] ?? ZERO) !== change)
        violate(`${asset}: the account moved ${text(change)}, the ledger ${text(result[asset] ?? ZERO)}`);
  }

  return {
    name,
    exchange,
    start,
    stop,
    booked,
    rests,
    end: reconciled,

    /** Time that passes beside a process that looks now and then. */
    async quiet(gap: Millis) {
      for (let looks = 10; looks > 0; looks--) await pass(gap / 10);
    },
    /** Time in which nothing runs. */
    sleep: (gap: Millis) => void time.pass(gap),
    restart() {
      deps = setup.restarted();
    },

    nearest,
    /** Many meet a part of an order each, within one second. */
    crowd({ id: order }: Order, count: number) {
      const began = time.now();
      for (let place = 0; place < count; place++) {
        time.pass(began + Math.floor((place * SECOND) / count) - time.now());
        exchange.fill(order, "0.01");
      }
    },
    /** Someone meets all of a resting order, and the market is where it was. */
    meet,
    /** The same of the nearest one, `later`. */
    meetNearest(later: Millis = 0): Order {
      time.pass(later);
      return meet(nearest());
    },

    /** Whether the order was booked in the end; one that is not has to be named. */
    async bookedOrNamed(what: string, order: Order, patience: Millis): Promise<void> {
      for (let waited = 0; waited < patience; waited += SELDOM) {
        if ((await behind([order])).length === 0) return;
        await pass(SELDOM);
      }
      if (!isNamed(await grid(), order)) violate(`${what}: ${ourId(order)} is neither booked nor named`);
      forgotten.add(order.id);
    },

    /** The order is named within two passes, and not booked as if it had cost no fees. */
    async named(what: string, order: Order) {
      for (let count = 0; count < SOON; count++) await pass();
      if (!isNamed(await grid(), order))
        violate(`${what}: it is not named: ${JSON.stringify((await grid()).unexplained)}`);
      if ((await behind([order])).length === 0) violate(`${what}: it is booked all the same`);
    },

    fail: (message: string) => violate(`it could not go on: ${message}`),
    mayBeNamed(order: Order) {
      maybeNamed = ourId(order);
    },
    isWell: async () => (await grid()).status === "running",
    report: () => ({
      violations,
      days: Math.round((time.now() - began) / DAY),
      passes,
      requests: exchange.count(),
      executions: exchange.executions().length,
      slowest,
    }),
    close: setup.close,
  };
}

const SELDOM = 30 * SECOND;
