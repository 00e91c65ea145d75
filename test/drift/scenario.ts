/** A grid, quotes and an own strategy on an emulated exchange of which one field changes, and what that does to them. */

import { kindsOf } from "../../src/engine/accounts.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { text, ZERO } from "../../src/kernel/decimal.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { isOurs } from "../../src/kernel/ids.ts";
import { splitPair } from "../../src/kernel/pair.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { kindsWith } from "../../src/kinds.ts";
import { VENUES, type VenueName } from "../../src/model/market.ts";
import { createOperations } from "../../src/operations.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { twoSided } from "../own/deeds.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { starts } from "../support/starts.ts";
import type { Route } from "../venues/dialect.ts";
import type { Order } from "../venues/order.ts";
import type { Edition, Finding } from "./essentials.ts";
import { collect, type Kind, type Mutation, mutate } from "./mutate.ts";
import { wrongIn } from "./shown.ts";

export interface Outcome {
  readonly findings: readonly Finding[];
  /** How many responses had the field. */
  readonly changed: number;
}

const ROUTES: readonly Route[] = [
  "time",
  "markets",
  "currencies",
  "ticker",
  "book",
  "trades",
  "candles",
  "balance",
  "create",
  "order",
  "open",
  "closed",
  "fills",
  "fillsOf",
  "cancel",
  "fee",
  "permissions",
  "kind",
];

const OPERATIONS = createOperations(Object.keys(VENUES), [twoSided]);

export type Fields = Map<string, Map<string, Set<Kind>>>;

const [GRID, QUOTES, OWN] = ["BTC/USDT", "ETH/USDT", "LTC/USDT"] as const;
/** Ten minutes pass before a fill whose trade cannot be read is booked from its order. */
const WAITS = [10, 10, 10, 10, 120, 120, 120, 120, 120, 120];

/** Returns every field of every call that the run makes, with the kinds of changes for each. */
export async function fieldsOf(edition: Edition): Promise<Fields> {
  const fields: Fields = new Map();
  const { findings } = await run(edition, (call, body) => {
    const found = fields.get(call) ?? new Map<string, Set<Kind>>();
    fields.set(call, found);
    collect(JSON.parse(JSON.stringify(body)), found);
    return body;
  });
  if (findings.length > 0)
    throw new Error(`without a change: ${findings.map(({ text }) => text).join("; ")}`);
  return fields;
}

/** Runs some changes together. */
export async function runMutations(edition: Edition, mutations: readonly Mutation[]): Promise<Outcome> {
  let changed = 0;
  const { findings } = await run(edition, (route, body) => {
    const before = JSON.stringify(body);
    let after: unknown = JSON.parse(before);
    for (const { call, path, kind } of mutations) if (call === route) after = mutate(after, path, kind);
    if (JSON.stringify(after) !== before) changed++;
    return after;
  });
  return { findings, changed };
}

type Setup = Awaited<ReturnType<typeof emulatedExchanges>>;
type Change = (call: string, body: unknown) => unknown;

async function run({ exchange: name, unified }: Edition, change: Change) {
  const setup = await emulatedExchanges({
    names: [name],
    venue: { unified },
    timing: { readLag: 5 * SECOND, secondMiss: 5 * SECOND, backoff: { first: 5 * SECOND, max: 10 * SECOND } },
  });
  try {
    const scene = createScene(setup, name, change);
    if (await scene.start()) {
      await scene.trade();
      await scene.show();
      await scene.exit();
      await scene.end();
    }
    return { findings: scene.findings };
  } finally {
    await setup.close();
  }
}

function createScene(setup: Setup, name: VenueName, change: Change) {
  const exchange = setup.exchange(name);
  const withKinds = (deps: Deps): Deps => ({ ...deps, kinds: kindsOf(kindsWith([twoSided])) });
  const deps = withKinds(setup.deps);
  const findings: Finding[] = [];
  const find = (what: Finding["what"], message: string) => findings.push({ what, text: message });
  const drift = (isOn: boolean) => {
    for (const route of ROUTES)
      exchange.alter(route, isOn ? (body: unknown) => change(route, body) : undefined);
  };
  const before = new Map(["BTC", "ETH", "LTC", "USDT"].map((asset) => [asset, exchange.total(asset)]));

  const call = async (operation: string, input: object, over: Deps = deps): Promise<unknown> => {
    const found = OPERATIONS.find((one) => one.name === operation);
    if (!found) throw new Error(`there is no operation ${operation}`);
    return found.run(over, found.input.parse(input), { actor: "test" });
  };

  async function pass(seconds: number) {
    setup.time.pass(seconds * SECOND);
    exchange.advance();
    await runRound(deps);
    for (const { clientId } of exchange.open())
      if (exchange.byClient(plainId(clientId)).length > 1) find("twice", `${clientId} was placed twice`);
  }

  /** Runs passes until each condition holds, and reports those that never do. */
  async function until(
    what: Finding["what"],
    goals: Readonly<Record<string, () => boolean | Promise<boolean>>>,
  ) {
    const failing = async () => {
      const left: string[] = [];
      for (const [goal, holds] of Object.entries(goals)) if (!(await holds())) left.push(goal);
      return left;
    };
    let left = await failing();
    for (const seconds of WAITS) {
      if (left.length === 0) return;
      await pass(seconds);
      left = await failing();
    }
    for (const goal of left) find(what, goal);
  }

  const strategies = async () => (await deps.store.strategies({})).map(({ strategy }) => strategy);
  const grid = async () => (await strategies()).find(({ symbol }) => symbol === GRID);
  const ours = (symbol: typeof GRID | typeof QUOTES | typeof OWN): Order[] =>
    exchange.open(symbol).filter(({ clientId }) => isOurs(plainId(clientId)));
  const bothSidesAt = (symbol: typeof QUOTES | typeof OWN, price: number) => {
    const prices = ours(symbol).map(({ side, price: at }) => [side, Number(text(at)) / price - 1] as const);
    const near = (side: string, sign: number) =>
      prices.some(([one, away]) => one === side && away * sign > 0 && away * sign < 0.012);
    return near("buy", -1) && near("sell", 1);
  };
  const executed = (symbol: string) =>
    exchange.executions().filter(({ order }) => order.listing.symbol === symbol).length;

  /** Starts a strategy, without the change if it prevents the start; returns whether it runs. */
  async function begin(operation: string, input: object): Promise<boolean> {
    try {
      await call(operation, input);
      return true;
    } catch (error) {
      find("start", `${operation} is refused: ${messageOf(error)}`);
    }
    drift(false);
    // A changed market is cached for a day.
    const isStarted = await call(operation, input).then(
      () => true,
      () => false,
    );
    drift(true);
    return isStarted;
  }

  return {
    findings,

    async start() {
      drift(true);
      const sizes = { baseBudget: 5, quoteBudget: 2000 };
      const prices = { lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 4, stopLossPrice: 56_000 };
      const isStarted = [
        await begin("start_grid", { exchange: name, symbol: GRID, ...prices, orderSize: 100 }),
        await begin(
          ...starts("quote", {
            exchange: name,
            symbol: QUOTES,
            spreadPercent: 1,
            size: 100,
            useOthers: false,
            useDex: false,
            ...sizes,
          }),
        ),
        await begin(
          ...starts("two-sided", {
            exchange: name,
            symbol: OWN,
            spreadPercent: 1,
            size: 60,
            ...sizes,
          }),
        ),
      ];
      if (isStarted.includes(false)) return false;
      await until("act", {
        "the grid does not place its orders": () => ours(GRID).length === 4,
        "the quotes are not placed": () => bothSidesAt(QUOTES, 3000),
        "the own strategy places no orders": () => bothSidesAt(OWN, 70),
      });
      return true;
    },

    /** The price reaches an order of the grid, moves away from the quotes, and someone fills the own strategy's bid. */
    async trade() {
      exchange.move(GRID, "58400");
      exchange.move(QUOTES, "2970");
      const bid = ours(OWN).find(({ side }) => side === "buy");
      // The response to the next order is lost, so the order is looked up.
      exchange.fail({ kind: "drop", route: "create", times: 1, acts: true });
      if (bid) exchange.fill(bid.id);
      await until("act", {
        "the grid places no counter-order": () => executed(GRID) > 0 && ours(GRID).length === 4,
        "the quotes do not follow the price": () => bothSidesAt(QUOTES, 2970),
        "the own strategy does not replace its order": () => bothSidesAt(OWN, 70),
      });
    },

    /** What each read shows is what it shows without the change, or unknown. */
    async show() {
      const place = { exchange: name, symbol: GRID };
      const open = ours(GRID)[0];
      // What is right has more rows, because a changed list can begin earlier.
      const reads: readonly (readonly [operation: string, input: object, right?: object])[] = [
        ["get_balance", { exchange: name }],
        ["list_orders", place],
        ["list_orders", { exchange: name }],
        ...(open ? [["get_order", { ...place, id: open.id }] as const] : []),
        ["get_ticker", place],
        ["get_orderbook", place],
        ["get_trades", place, { ...place, limit: 100 }],
        ["get_ohlcv", { ...place, limit: 20 }, { ...place, limit: 60 }],
      ];
      const readAll = async (isRight: boolean) => {
        // Nothing is cached in a process that has just started.
        const started = withKinds(setup.restarted());
        const shown: unknown[] = [];
        for (const [operation, input, right = input] of reads) {
          const at = setup.time.now();
          shown.push(await call(operation, isRight ? right : input, started).catch((error: Error) => error));
          // Waiting for the rate limit moves the clock, and the market with it.
          setup.time.pass(at - setup.time.now());
        }
        return shown;
      };
      const changed = await readAll(false);
      drift(false);
      const right = await readAll(true);
      drift(true);
      for (const [i, [operation]] of reads.entries())
        for (const wrong of wrongIn(right[i], changed[i])) find("show", `${operation} shows ${wrong}`);
    },

    async exit() {
      exchange.move(GRID, "55500");
      await until("exit", {
        "the stop loss does not sell and stop": async () =>
          (await grid())?.status === "stopped" && ours(GRID).length === 0,
      });
    },

    /** Once the change is undone, the books are the exchange's. */
    async end() {
      drift(false);
      let wrong = "";
      const agrees = async () => {
        const moved = new Map<string, bigint>();
        const estimated = new Map<string, bigint>();
        for (const { id, state } of await strategies()) {
          for (const { symbol, amount, notional, fees } of await deps.store.fillsOf(id, { limit: 100 }))
            if (fees.some(({ isEstimated }) => isEstimated))
              for (const [asset, sum] of [
                [splitPair(symbol).base, amount],
                [splitPair(symbol).quote, notional],
              ] as const)
                estimated.set(asset, (estimated.get(asset) ?? ZERO) + sum / 100n);
          for (const [asset, amount] of Object.entries(state.ledger.moved))
            moved.set(asset, (moved.get(asset) ?? ZERO) + amount);
        }
        const differing = [...before].flatMap(([asset, first]) => {
          const change = exchange.total(asset) - first;
          const booked = moved.get(asset) ?? ZERO;
          const wrong = change < booked ? booked - change : change - booked;
          return wrong <= (estimated.get(asset) ?? ZERO)
            ? []
            : [`${asset} ${text(booked)} for ${text(change)}`];
        });
        wrong = differing.join(", ");
        return differing.length === 0;
      };
      const count = findings.length;
      await until("book", { books: agrees });
      if (findings.length > count) findings[count] = { what: "book", text: `booked ${wrong}` };
    },
  };
}

const plainId = (clientId: string): string => clientId.replace(/^t-/, "");
