import { costInAll, unsoldBase } from "../../src/grid/booking.ts";
import { FIRST_BUY_SLOT, type GridStrategy, isGrid } from "../../src/grid/state/state.ts";
import { type Decimal, max, mul, mulDiv, text, ZERO } from "../../src/kernel/decimal.ts";
import { isOurs, parseClientOrderId, strategyTag } from "../../src/kernel/ids.ts";
import type { BookedOrder } from "../../src/market/matching.ts";
import { parseAccountKey } from "../../src/model/account.ts";
import { isBlockedByKill } from "../../src/model/kill.ts";
import type { Order } from "../../src/model/order.ts";
import { EXIT_SLOT, type Strategy } from "../../src/model/strategy.ts";
import { SWITCH_READ_VALID_MS } from "../../src/ports/kill-permit.ts";
import type { Kinds } from "../../src/ports/kind.ts";
import type { Changes } from "../../src/ports/stores/pass-store.ts";
import { isQuote, type QuoteStrategy } from "../../src/quote/state.ts";
import { brokenByArrival, brokenByRecording, type ShownOrder } from "../invariants/venue.ts";
import { createCapitalChecks } from "./capital-checks.ts";
import { createDrawnFees, isDrawn } from "./drawn-fees.ts";
import type { Committed } from "./history.ts";
import { withinLimits } from "./limit-checks.ts";
import { createQuoteChecks } from "./quote-checks.ts";
import { type Tables, tablesOf } from "./store/tables.ts";

export interface Violation {
  readonly at: number;
  readonly what: string;
}

const slotOf = (clientId: string): string | undefined => {
  const key = parseClientOrderId(clientId);
  return key && `${key.tag}.${key.generation}.${key.slot}`;
};
const isSame = (intent: Order, { amount, side, type, price }: BookedOrder): boolean =>
  intent.amount === amount && intent.side === side && (type === "market" || intent.price === price);

const isOpen = ({ status }: BookedOrder): boolean => status === "open" || status === "partially_filled";

/** After another process has turned the switch on, no create is signed later than this. */
const KILL_WITHIN = SWITCH_READ_VALID_MS;

interface Rules {
  /** Clocks jump. */
  readonly jumps: boolean;
  readonly kinds: Kinds;
  readonly leaseTtl: number;
  /** How far the database's clock may step within a pass. */
  readonly skew: number;
  /** How old a read may be. */
  readonly oldest: number;
  /** What each account begins with of it. */
  readonly quote: Decimal;
  /** Each with one account. */
  readonly exchanges: readonly string[];
}

/** Watches every commit of the venue and every write of the store, and keeps what breaks an invariant. */
export function createChecks(
  now: () => number,
  tables: () => Tables,
  { kinds, leaseTtl, skew, oldest, quote, jumps, exchanges }: Rules,
) {
  const violations: Violation[] = [];
  const violate = (what: string): void => {
    violations.push({ at: now(), what });
  };
  const leasedAt = (of?: string) =>
    Math.max(
      ...[...tables().accounts]
        .filter(([account]) => of === undefined || account === of)
        .map(([, { until }]) => until - leaseTtl - skew),
      0,
    );
  const fees = createDrawnFees({ now, passSince: leasedAt });
  const quotes = createQuoteChecks({ now, violate, passSince: leasedAt });
  const capitals = exchanges.map((exchange) => ({
    exchange,
    ...createCapitalChecks({ now, violate, readSince: () => leasedAt() - oldest, first: quote }),
  }));
  /** The rows of the account on an exchange. */
  const rowsOn = (exchange: string): Tables => {
    if (exchanges.length === 1) return tables();
    const account = [...tables().accounts.keys()].find((key) => parseAccountKey(key).exchange === exchange);
    return tablesOf(tables(), account ?? "");
  };

  /** Each time that an id was recorded: after a restore an id that never reached the venue may be given again. */
  const intents = new Map<string, Order[]>();
  let known = new Set<string>();
  const accepted = new Set<string>();
  const executed = new Set<string>();
  /** Orders whose rows the database has lost, and nobody has said so. */
  const lost = new Set<string>();
  /** What ended without a trade before anybody looked, nothing on the exchange tells of. */
  const isUnreported = (id: string, open: readonly BookedOrder[]): boolean =>
    lost.has(id) && !executed.has(id) && !open.some(({ clientId }) => clientId === id);
  const live = new Map<string, Map<string, BookedOrder>>();
  const truth = new Map<string, Decimal>();
  /** The quote that a strategy's trades have moved at the exchange, by its tag. Its own ledger lags behind. */
  const traded = new Map<number, Decimal>();
  const tokens = new Map<string, number>();
  const first = new Map<string, Decimal>();
  /** The most base of the account that a strategy has had: an order can arrive after its database has lost that. */
  const firstBase = new Map<string, Decimal>();
  const buysAt = new Map<string, Decimal>();
  const strategyOf = (tag: number | undefined): Strategy | undefined =>
    [...tables().strategies.values()].find(({ number }) => strategyTag(number) === tag);

  const liveOf = (number: number): BookedOrder[] =>
    [...live].flatMap(([slot, orders]) =>
      slot.startsWith(`${strategyTag(number)}.`) ? [...orders.values()] : [],
    );

  function arrived(order: BookedOrder, open: readonly BookedOrder[]): void {
    const { clientId } = order;
    if (!isOurs(clientId)) return;
    const versions = intents.get(clientId);
    const strategy = strategyOf(parseClientOrderId(clientId)?.tag);
    const broken = brokenByArrival({
      order: observed(order),
      live: open.map(observed),
      wasAccepted: accepted.has(clientId) && !isUnreported(clientId, open),
      hasRow: versions !== undefined,
      isOver: strategy?.status === "stopped",
    });
    for (const what of broken) violate(what);
    if (!versions) return;
    if (!versions.some((intent) => isSame(intent, order))) violate(`${clientId} is not what its intent says`);
    accepted.add(clientId);
    const slot = slotOf(clientId);
    if (slot === undefined) return;
    // A store that was put back has forgotten the order, and with it what the strategy held: it was under way by then.
    const isRemembered = tables().orders.has(clientId);
    // Only grids sell slot by slot. The id names the kind also if the store has forgotten the strategy.
    const isGrids = strategy
      ? isGrid(strategy)
      : versions.some(({ strategy: id }) => id?.startsWith("grid-"));
    if (order.side === "sell" && (isRemembered || isGrids)) covered(order, slot, strategy);
    const key = parseClientOrderId(clientId);
    const older = liveOf(strategy?.number ?? 0).filter(
      (other) => parseClientOrderId(other.clientId)?.generation !== key?.generation,
    );
    if (older.length > 0)
      violate(`${clientId} was placed while ${older[0]?.clientId} of another generation lived`);
    if ((key?.slot ?? 0) < FIRST_BUY_SLOT) crossed(order, open);
    if (!isRemembered || !strategy || !isQuote(strategy) || (key?.slot ?? 0) >= FIRST_BUY_SLOT) return;
    inBounds(order, strategy);
    if (order.side === "buy")
      quotes.withinBudget(strategy, withOthers(order, strategy), traded.get(key?.tag ?? 0) ?? ZERO);
  }

  /** An order, and those of its strategy that rest on its side. */
  function withOthers(order: BookedOrder, { number }: Pick<Strategy, "number">): BookedOrder[] {
    const resting = new Map([...liveOf(number), order].map((one) => [one.id, one]));
    return [...resting.values()].filter(({ side }) => side === order.side);
  }

  /** Were all of a side to fill, base would be beyond its bound by no more than one order. */
  function inBounds(order: BookedOrder, { id, config, state, number }: QuoteStrategy): void {
    const { mostBase, leastBase } = config.rules;
    const all = withOthers(order, { number }).reduce(
      (sum, { amount, filled }) => sum + amount - filled,
      ZERO,
    );
    if (order.side === "buy" && mostBase !== undefined && state.base + all > mostBase + order.amount)
      violate(`${id} may come to hold ${text(state.base + all)}, and at most ${text(mostBase)} are allowed`);
    if (order.side === "sell" && leastBase !== undefined && state.base - all < leastBase - order.amount)
      violate(`${id} may come to hold ${text(state.base - all)}, and at least ${text(leastBase)} are wanted`);
  }

  /** A slot sells what it holds; where base moves between slots, as in an exit, all of them together do. */
  function covered(order: BookedOrder, slot: string, strategy: Strategy | undefined): void {
    if (strategy && !isGrid(strategy)) {
      coveredAsWhole(order, strategy);
      return;
    }
    const { config, state, number } = strategy ?? {};
    const isPooled =
      state &&
      (config?.centered ||
        config?.trail ||
        config?.initialBuy ||
        // An order under way can be of an exit that a restored store has forgotten.
        parseClientOrderId(order.clientId)?.slot === EXIT_SLOT ||
        strategy?.edits);
    if (!isPooled) {
      const holds = (truth.get(slot) ?? ZERO) + (first.get(slot) ?? ZERO);
      if (order.amount > holds) violate(`slot ${slot} sells ${text(order.amount)} and holds ${text(holds)}`);
      return;
    }
    const mine = (key: string) => key.startsWith(`${strategyTag(number ?? 0)}.`);
    const total = [...truth].reduce(
      (sum, [key, moved]) => (mine(key) ? sum + moved : sum),
      firstBase.get(strategy?.id ?? "") ?? ZERO,
    );
    const sells = [...liveOf(number ?? 0), order].filter(({ side }) => side === "sell");
    const request = new Map(sells.map(({ id, amount, filled }) => [id, amount - filled]));
    const sum = [...request.values()].reduce((all, amount) => all + amount, ZERO);
    if (sum > total) violate(`${strategy?.id} sells ${text(sum)} and holds ${text(total)}`);
  }

  /** What a strategy of another kind holds is its own to say; it sells no more of it. */
  function coveredAsWhole(order: BookedOrder, { id, kind, state, number }: Strategy): void {
    const { base } = kinds(kind).holdings(state);
    const sells = [...liveOf(number), order].filter(({ side }) => side === "sell");
    const request = new Map(sells.map(({ id: one, amount, filled }) => [one, amount - filled]));
    const sum = [...request.values()].reduce((all, amount) => all + amount, ZERO);
    if (sum > base) violate(`${id} sells ${text(sum)} and holds ${text(base)}`);
  }

  /** A grid that is laid out anew gives its slots other ids, by which late trades are told apart. */
  function inGeneration(order: Order, { state }: GridStrategy): void {
    const { clientId, strategy, generation, slot, side, price } = order;
    const level = state.slots.find(({ index }) => index === slot)?.lower;
    if (side !== "buy" || slot >= FIRST_BUY_SLOT || generation !== state.generation || !level) return;
    const key = `${strategy}.${generation}.${slot}`;
    const before = buysAt.get(key) ?? level;
    buysAt.set(key, before);
    if (before !== level) violate(`${clientId} buys for ${text(level)}, its generation for ${text(before)}`);
    // Where its level would take, it rests below.
    if (price > level) violate(`${clientId} buys at ${text(price)}, above its level ${text(level)}`);
  }

  /** What an intent may not be, whatever its strategy was at the time. */
  function intended(order: Order, strategy: Strategy): void {
    if (strategy.state.exit && order.side === "buy")
      violate(`${order.clientId} buys though ${strategy.id} is leaving the market`);
    if (isQuote(strategy)) quotes.intended(order, strategy);
    if (!isGrid(strategy)) return;
    const { state, config } = strategy;
    const slot = state.slots.find(({ index }) => index === order.slot);
    if (order.side === "buy" || !slot || !isDrawn(slot) || config.allowLoss) return;
    const fee = fees.whenDrawn(strategy, slot);
    const net = mul(order.price, order.amount, "down") - mul(mul(order.price, order.amount, "up"), fee, "up");
    const cost = mulDiv(slot.cost, { times: order.amount, over: slot.base }, "up");
    if (net + 1000n < cost) violate(`${order.clientId} sells for ${text(net)} what cost ${text(cost)}`);
  }

  /** As the exchange shows it. What a restored store has forgotten, or a stop has left to the person, is not the service's. */
  function observed({ clientId, symbol, side, type, price }: BookedOrder): ShownOrder {
    const { orders, unsettled } = tables();
    const isOurs = orders.has(clientId) && unsettled.has(clientId);
    return { clientId, symbol, side, price: type === "market" ? null : price, isOurs };
  }

  function crossed(order: BookedOrder, open: readonly BookedOrder[]): void {
    for (const other of open.filter(({ clientId }) => slotOf(clientId) !== undefined)) {
      if (other.id === order.id || other.symbol !== order.symbol || other.side === order.side) continue;
      const [buy, sell] = order.side === "buy" ? [order, other] : [other, order];
      if (buy.price >= sell.price) violate(`${order.clientId} crosses ${other.clientId} of our own`);
    }
  }

  const added = new WeakSet<Strategy>();
  let killedAt: number | undefined;
  const gapsAt = new Map<string, number>();
  let [noted, notedCount]: [Tables["fills"] | undefined, number] = [undefined, 0];
  function noteGaps({ fills }: Tables): void {
    // Rows of trades are added and never changed; a store that was put back has another table.
    if (fills === noted && fills.size === notedCount) return;
    [noted, notedCount] = [fills, fills.size];
    for (const { tradeId, clientId } of fills.values())
      if (tradeId.startsWith("order:") && !gapsAt.has(clientId)) gapsAt.set(clientId, now());
  }

  return {
    violations,
    violate,
    quotes,
    liveOf,
    /** When an order was first booked from its own sums. */
    gapBookedAt: (clientId: string): number | undefined => gapsAt.get(clientId),
    feeIs: fees.feeIs,
    wasAccepted: (clientId: string): boolean => accepted.has(clientId),

    /** A create leaves for the venue. */
    leaving(clientId: string, { hasKilled = false }: { readonly hasKilled?: boolean } = {}): void {
      const order = tables().orders.get(clientId);
      // A person's order is recorded by whatever clock the database has then.
      const isTimed = order && (order.strategy !== null || !jumps);
      const sendBy = isTimed ? order.sendBy : Number.POSITIVE_INFINITY;
      if (now() > sendBy) violate(`${clientId} was sent ${now() - sendBy} ms after the last moment for it`);
      const isExit = parseClientOrderId(clientId)?.slot === EXIT_SLOT;
      if (isExit && tables().kill.sells) return;
      if (hasKilled && tables().kill.on)
        violate(`${clientId} was sent by the process that has turned the kill switch on`);
      if (killedAt !== undefined && now() - killedAt > KILL_WITHIN)
        violate(`${clientId} was sent ${now() - killedAt} ms after the kill switch`);
    },

    /** A batch that is recorded change by change from here on. */
    refused: (changes: readonly Changes[]): void => {
      for (const capital of capitals) capital.refused(changes);
    },

    /** A venue's commit. */
    committed(committed: Committed, left: Decimal): void {
      const { before, change } = committed;
      for (const capital of capitals)
        if (capital.exchange === committed.exchange) capital.committed(committed, left);
      const known = new Set(before.open.map(({ id }) => id));
      for (const order of change.orders) if (!known.has(order.id)) arrived(order, before.open);
      for (const fill of change.fills) {
        const order = change.orders.find(({ id }) => id === fill.orderId);
        if (order) executed.add(order.clientId);
        const slot = order && slotOf(order.clientId);
        if (!slot) continue;
        const inBase = fill.fee.asset === fill.symbol.split("/")[0] ? fill.fee.amount : ZERO;
        const moved = fill.side === "buy" ? fill.amount - inBase : -fill.amount - inBase;
        truth.set(slot, (truth.get(slot) ?? ZERO) + moved);
        const inQuote = fill.fee.asset === fill.symbol.split("/")[1] ? fill.fee.amount : ZERO;
        const notional = mul(fill.price, fill.amount, "half");
        const paid = (fill.side === "buy" ? -notional : notional) - inQuote;
        const tag = parseClientOrderId(order.clientId)?.tag ?? 0;
        traded.set(tag, (traded.get(tag) ?? ZERO) + paid);
      }
      for (const order of change.orders) {
        const slot = slotOf(order.clientId);
        if (slot === undefined) continue;
        const orders = live.get(slot) ?? new Map<string, BookedOrder>();
        if (isOpen(order)) orders.set(order.id, order);
        else orders.delete(order.id);
        if (orders.size > 0) live.set(slot, orders);
        else live.delete(slot);
        if (order.status === "canceled" && order.clientId.startsWith("person"))
          violate(`${order.clientId} is a person's and was cancelled`);
      }
    },

    /** After each event: what the store has come to. */
    looked(): void {
      const { strategies, accounts, orders, unsettled, kill } = tables();
      noteGaps(tables());
      const recorded: Order[] = [];
      for (const clientId of unsettled) {
        if (known.has(clientId)) continue;
        const order = orders.get(clientId);
        if (!order) continue;
        const strategy = order.strategy === null ? undefined : strategies.get(order.strategy);
        const isAdopted = order.exchangeId !== null && order.state !== "pending";
        const isOfSlot = strategy !== undefined && order.kind === "slot";
        const broken = brokenByRecording({
          clientId,
          isOfSlot,
          wants: strategy?.wants,
          killed: isBlockedByKill(kill, order.kind),
        });
        if (!isAdopted) for (const what of broken) violate(what);
        if (strategy && !isAdopted && order.kind === "slot" && order.generation === strategy.state.generation)
          intended(order, strategy);
        if (
          strategy &&
          isGrid(strategy) &&
          (strategy.config.centered || (strategy.edits && !strategy.config.trail)) &&
          !isAdopted
        )
          inGeneration(order, strategy);
        known.add(clientId);
        for (const [name, value] of Object.entries(order))
          if (typeof value === "number" && !Number.isInteger(value))
            violate(`${clientId} has ${name} ${value}, which is no whole number`);
        if (!isAdopted) recorded.push(order);
        intents.set(clientId, [...(intents.get(clientId) ?? []), order]);
      }
      for (const { exchange, recorded: note } of capitals) {
        const rows = rowsOn(exchange);
        const mine = recorded.filter(({ clientId }) => rows.orders.has(clientId));
        if (mine.length > 0) withinLimits(mine, rows, { now: now(), passSince: leasedAt(), violate });
        note(mine, rows);
      }
      killedAt = kill.on ? (killedAt ?? now()) : undefined;
      for (const [account, { token }] of accounts) {
        if (token < (tokens.get(account) ?? 0)) violate(`the token of ${account} fell`);
        tokens.set(account, token);
      }
      for (const strategy of strategies.values()) {
        const { number, status, keepOrders, id } = strategy;
        if (status === "stopped" && !keepOrders && liveOf(number).length > 0)
          violate(`${id} is stopped and has ${liveOf(number).length} orders`);
        if (isQuote(strategy)) quotes.quotedAs(strategy);
        if (!isGrid(strategy) || added.has(strategy)) continue;
        // A row is a value: what has added up once does so for good.
        added.add(strategy);
        const { state } = strategy;
        firstBase.set(id, max(firstBase.get(id) ?? ZERO, state.ledger.firstBase));
        const cost = costInAll(state);
        if (
          state.ledger.quote + cost - state.ledger.firstCost - state.ledger.feesValue !==
          state.ledger.realized
        )
          violate(`${id}: quote, cost and realized do not add up`);
        for (const slot of state.slots.filter(isDrawn)) fees.whenDrawn(strategy, slot);
        for (const slot of state.slots) {
          const key = `${strategyTag(number)}.${state.generation % 256}.${slot.index}`;
          if (slot.first && !first.has(key)) first.set(key, unsoldBase(slot));
        }
      }
    },

    /** The store has been put back to an earlier state, whether or not somebody has said so. */
    restored(isReported: boolean): void {
      for (const id of isReported ? [] : accepted) if (!tables().orders.has(id)) lost.add(id);
      tokens.clear();
      known = new Set(tables().unsettled);
      // What no order has reached the venue for has never been: it may be laid out otherwise.
      const reached = new Set([...accepted].map(slotOf));
      for (const key of buysAt.keys()) if (!reached.has(key)) buysAt.delete(key);
      quotes.restored([...tables().strategies.values()].filter(isQuote));
    },
  };
}

export type Checks = ReturnType<typeof createChecks>;
