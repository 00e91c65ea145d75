/** A grid on an emulated exchange among random faults, its invariants checked against what the exchange really has. */

import type { Fetch } from "../../src/adapters/ccxt/client/transport.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { movedBase, unsoldBase } from "../../src/grid/booking.ts";
import { asGrid } from "../../src/grid/state/state.ts";
import { max, roundToStep, text, ZERO } from "../../src/kernel/decimal.ts";
import { mixHash, pseudorandomShare } from "../../src/kernel/hash.ts";
import { isOurs, parseClientOrderId } from "../../src/kernel/ids.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { accountKey } from "../../src/model/account.ts";
import type { VenueName } from "../../src/model/market.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { StrategyView } from "../../src/ports/stores/store.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";
import type { Route } from "./dialect.ts";
import type { Fault, FaultKind } from "./faults.ts";
import type { Order } from "./order.ts";

const PAIR = "BTC/USDT";
const SLOTS = 20;
const BETWEEN = 5 * SECOND;
/** Longer than a lease, an expiry, the read lag and the back-off together. */
const QUIET_TICKS = 40;

const KINDS: readonly FaultKind[] = [
  "rate_limit",
  "server_error",
  "bad_gateway",
  "maintenance",
  "empty",
  "cut",
  "truncated",
  "drop",
];

export interface GridRun {
  readonly name: VenueName;
  /** The account is a unified one. */
  readonly unified?: boolean;
  readonly ticks: number;
  readonly seed: number;
}

export interface GridReport {
  readonly violations: readonly string[];
  readonly passes: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly faults: number;
  readonly crashes: number;
  readonly orders: number;
  readonly executions: number;
  readonly cycles: number;
}

type Setup = Awaited<ReturnType<typeof emulatedExchanges>>;

export async function runGrid({ name, unified = false, ticks, seed }: GridRun): Promise<GridReport> {
  const process = createProcess(chance(seed + 1));
  const setup = await emulatedExchanges({
    names: [name],
    venue: { unified },
    seed,
    fetch: process.fetch,
    timing: {
      readLag: 20 * SECOND,
      secondMiss: 5 * SECOND,
      backoff: { first: BETWEEN, max: 20 * SECOND },
    },
  });
  try {
    return await withSetup(setup, process, { name, ticks, seed });
  } finally {
    await setup.close();
  }
}

async function withSetup(
  setup: Setup,
  process: Process,
  { name, ticks, seed }: GridRun,
): Promise<GridReport> {
  const { time } = setup;
  let deps = setup.deps;
  const exchange = setup.exchange(name);
  const random = chance(seed);
  const before = new Map(["BTC", "USDT"].map((asset) => [asset, exchange.total(asset)]));
  const person = exchange.own({
    symbol: PAIR,
    side: "buy",
    price: "30000",
    amount: "0.001",
    clientId: "person1",
  });
  const { id } = await runOperation<{ id: string }>(
    deps,
    "start_grid",
    gridInput({ exchange: name, symbol: PAIR, gridLevels: SLOTS }),
  );
  const checks = createChecks(setup, name, id);
  const faults = createFaults(random);
  const passes: Record<string, number> = {};
  let price = 60000;

  const pass = async () => {
    time.pass(BETWEEN);
    exchange.advance();
    const ended = await Promise.race([runRound(deps), process.death()]);
    if (ended === "died") deps = setup.restarted();
    for (const { outcome } of ended === "died" ? [{ outcome: "died" }] : ended)
      passes[outcome] = (passes[outcome] ?? 0) + 1;
    await checks.look();
  };

  await checks.look();
  exchange.chance(faults.decide);
  for (let place = 0; place < ticks; place++) {
    faults.turn();
    price = Math.min(64000, Math.max(56000, price + (random() - 0.5) * 900));
    exchange.move(PAIR, String(Math.round(price)));
    if (random() < 0.05) exchange.late({ orders: random() * 8000, trades: random() * 15_000 });
    if (random() < 0.05) exchange.late({ orders: 0, trades: 0 });
    const resting = exchange.open().filter((order) => order !== person);
    const chosen = resting[Math.floor(random() * resting.length)];
    if (chosen && random() < 0.08) exchange.fill(chosen.id, halfOf(chosen));
    else if (chosen && random() < 0.01) exchange.engine.cancel(exchange.account, chosen.id);
    if (random() < 0.02) process.doom();
    await pass();
  }

  process.spare();
  exchange.heal();
  for (let place = 0; place < QUIET_TICKS; place++) await pass();
  await checks.rested(deps);
  await runOperation(deps, "stop_strategy", { id, cancelOrders: true });
  for (let place = 0; place < QUIET_TICKS && (await checks.view()).strategy.status !== "stopped"; place++)
    await pass();
  await checks.stopped(before);
  if (person.status !== "open") checks.violate("a person's order was touched");
  const { state } = asGrid((await checks.view()).strategy);
  return {
    violations: checks.violations,
    passes,
    requests: exchange.count(),
    faults: faults.count(),
    crashes: process.crashes(),
    orders: exchange.orders().length,
    executions: exchange.executions().length,
    cycles: state.ledger.cycles,
  };
}

function chance(seed: number): () => number {
  let drawn = 0;
  return () => pseudorandomShare(mixHash(seed, 1), ++drawn);
}

const halfOf = ({ amount, filled, listing }: Order): string =>
  text(max(listing.lot, roundToStep((amount - filled) / 2n, listing.lot, "down")));

type Process = ReturnType<typeof createProcess>;

/** A process that dies at one of its next requests: before it has left, or before its answer is read. */
function createProcess(random: () => number) {
  let left = Number.POSITIVE_INFINITY;
  let crashes = 0;
  let die: () => void = () => {};
  const fetchOrDie: Fetch = async (url, init) => {
    if (left-- > 0) return fetch(url, init);
    left = Number.POSITIVE_INFINITY;
    if (random() < 0.5) await fetch(url, init).catch(() => undefined);
    crashes++;
    die();
    return new Promise(() => {});
  };
  return {
    fetch: fetchOrDie,
    doom: () => {
      left = Math.floor(random() * 8);
    },
    spare: () => {
      left = Number.POSITIVE_INFINITY;
    },
    death: () =>
      new Promise<"died">((died) => {
        die = () => died("died");
      }),
    crashes: () => crashes,
  };
}

/** One write in four fails and few reads; now and then, for a while, four in ten of all. */
function createFaults(random: () => number) {
  let storm = 0;
  let count = 0;
  return {
    count: () => count,
    turn() {
      if (storm > 0) storm--;
      else if (random() < 0.01) storm = Math.ceil(random() * 8);
    },
    decide(route: Route): Fault | undefined {
      const writes = route === "create" || route === "cancel";
      if (random() >= (storm > 0 ? 0.4 : writes ? 0.25 : 0.02)) return undefined;
      count++;
      if (writes && random() < 0.25) return { kind: "late", millis: random() * 9000 };
      const kind = KINDS[Math.floor(random() * KINDS.length)] as FaultKind;
      return { kind, acts: kind !== "rate_limit" && kind !== "maintenance" && random() < 0.5 };
    },
  };
}

function createChecks({ deps, exchange: exchangeOf, time }: Setup, name: VenueName, id: string) {
  const exchange = exchangeOf(name);
  const account = accountKey(deps.venue(name).account);
  const violations: string[] = [];
  const violate = (what: string) => violations.push(`${(time.now() / SECOND).toFixed(0)} s: ${what}`);
  const first = new Map<number, bigint>();
  let observed = 0;

  const ourId = ({ clientId }: Order) => clientId.replace(/^t-/, "");
  const slotOf = (order: Order) => parseClientOrderId(ourId(order))?.slot;
  const view = async (): Promise<StrategyView> => {
    const [found] = await deps.store.strategies({ id });
    if (!found) throw new Error(`${id} is gone`);
    return found;
  };

  /** Base that the slot has had from the exchange so far, by what was executed there. */
  const moved = (slot: number): bigint =>
    exchange.executions().reduce((total, { order, amount, fee }) => {
      if (slotOf(order) !== slot) return total;
      return total + (order.side === "buy" ? amount : -amount) - (fee.asset === "BTC" ? fee.amount : ZERO);
    }, ZERO);

  async function newOrders() {
    const fresh = exchange
      .orders()
      .slice(observed)
      .filter((order) => isOurs(ourId(order)));
    observed = exchange.orders().length;
    if (fresh.length === 0) return;
    const ids = { exchange: [], client: fresh.map(ourId) };
    const intents = new Map((await deps.store.ordersByIds(account, ids)).map((one) => [one.clientId, one]));
    for (const order of fresh) {
      const intent = intents.get(ourId(order));
      if (!intent) violate(`${ourId(order)} has no intent`);
      else if (intent.side !== order.side || intent.price !== order.price || intent.amount !== order.amount)
        violate(`${ourId(order)} is not what its intent says`);
      if (exchange.byClient(ourId(order)).length > 1) violate(`${ourId(order)} was placed twice`);
      const slot = slotOf(order);
      if (slot === undefined || order.side === "buy") continue;
      const sold = order.amount - order.filled;
      if (sold > (first.get(slot) ?? ZERO) + moved(slot)) violate(`slot ${slot} sells more than it holds`);
    }
  }

  return {
    violations,
    violate,
    view,

    async look() {
      const strategy = asGrid((await view()).strategy);
      for (const slot of strategy.state.slots)
        if (slot.first && !first.has(slot.index)) first.set(slot.index, unsoldBase(slot));
      await newOrders();
      const live = new Set<number>();
      for (const order of exchange.open()) {
        const slot = slotOf(order);
        if (slot === undefined) continue;
        if (live.has(slot)) violate(`slot ${slot} has two live orders`);
        live.add(slot);
      }
      if (strategy.status === "error") violate(`in error: ${strategy.lastError}`);
      if (strategy.status === "stopped" && live.size > 0) violate(`stopped with ${live.size} live orders`);
    },

    /** Once the faults have ended: each slot rests its one order or says why not, and a pass finds nothing to do. */
    async rested(alive: Deps) {
      const { strategy } = await view();
      const live = new Set(exchange.open().map(slotOf));
      const refused = new Set(strategy.state.refused.map(({ slot }) => slot));
      for (const { index } of strategy.state.slots)
        if (!live.has(index) && !refused.has(index))
          violate(`slot ${index} rests nothing and does not say why`);
      const writes = () => exchange.count("create") + exchange.count("cancel");
      const before = writes();
      await runRound(alive);
      if (writes() !== before) violate("a pass that finds all in order still writes");
    },

    /** No order left, and the ledger is what the account has moved, to the last unit. */
    async stopped(before: ReadonlyMap<string, bigint>) {
      const strategy = asGrid((await view()).strategy);
      if (strategy.status !== "stopped") violate(`still ${strategy.status} (${strategy.phase})`);
      const left = exchange.open().filter((order) => slotOf(order) !== undefined);
      if (left.length > 0) violate(`${left.length} orders are left`);
      const result = { BTC: movedBase(strategy.state), USDT: strategy.state.ledger.quote };
      for (const [asset, ledger] of Object.entries(result)) {
        const change = exchange.total(asset) - (before.get(asset) ?? ZERO);
        if (change !== ledger)
          violate(`${asset}: the account moved ${text(change)}, the ledger ${text(ledger)}`);
      }
    },
  };
}
