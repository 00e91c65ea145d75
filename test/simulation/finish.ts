import { tickerAt } from "../../src/adapters/sandbox/venue.ts";
import { costInAll } from "../../src/grid/booking.ts";
import { sellPrice } from "../../src/grid/plan/first-buy.ts";
import { type GridStrategy, isGrid, type Slot } from "../../src/grid/state/state.ts";
import { abs, decimal, div, max, mul, ONE, roundToStep, sum, text } from "../../src/kernel/decimal.ts";
import { parseClientOrderId } from "../../src/kernel/ids.ts";
import { splitPair } from "../../src/kernel/pair.ts";
import type { BookedFill, BookedOrder } from "../../src/market/matching.ts";
import { accountKey } from "../../src/model/account.ts";
import { type Order, takes } from "../../src/model/order.ts";
import type { Strategy } from "../../src/model/strategy.ts";
import { isOwnKind, type OwnStrategy } from "../../src/own/state.ts";
import { isQuote, type QuoteStrategy } from "../../src/quote/state.ts";
import { differences, isOfStrategy, movedBy, positionOf } from "../invariants/venue.ts";
import type { Beside, Moved } from "./actions.ts";
import { MAX_PRICE_TICK } from "./editions.ts";
import { IS_OF, TICKS } from "./shape.ts";
import { type Tables, tablesOf } from "./store/tables.ts";
import type { Sim } from "./world.ts";

/** A slot may go without an order for these reasons when everything is quiet. */
const QUIET_REASONS = new Set([
  "no_base",
  "no_quote",
  "below_minimum",
  "would_self_cross",
  "inventory_missing",
  "max_position",
  "safety_reserve",
]);

/** After the faults: every slot has its one right order, stops are done, and the ledgers are the account. */
export function finish(sim: Sim, beside: Beside): void {
  const several = sim.simulations.size > 1;
  for (const [exchange, simulation] of sim.simulations) {
    const rows = several ? tablesOf(sim.tables(), accountKey(simulation.account)) : sim.tables();
    const moved = beside.get(exchange) ?? new Map<string, bigint>();
    finishOn({ ...sim, exchange, simulation, tables: () => rows }, moved);
  }
}

/** The same of one account. */
function finishOn(sim: Sim, beside: Moved): void {
  const { checks } = sim;
  const tables = sim.tables();
  for (const strategy of tables.strategies.values()) settledDown(sim, strategy);
  for (const clientId of tables.unsettled) {
    const order = tables.orders.get(clientId);
    if (order && (order.state === "pending" || order.state === "unknown"))
      checks.violate(`${clientId} is still ${order.state}`);
  }
  for (const { id, orderId, symbol } of sim.history.allFills(sim.exchange)) {
    const clientId = clientIdOf(sim, orderId);
    const order = tables.orders.get(clientId);
    const isMissing = order?.strategy && !isReleased(order) && !isBooked(sim, symbol, id) && order.gap === 0n;
    if (!order && isOfRunning(tables, clientId)) checks.violate(`${id} of ${clientId} is of no row`);
    if (isMissing)
      checks.violate(
        `${id} of ${clientId} (${order.state}, booked ${text(order.booked)} of ${text(order.filled)}) is not booked`,
      );
  }
  for (const order of tables.orders.values()) {
    gaps(sim, order);
    if (order.state === "rejected" && checks.wasAccepted(order.clientId))
      checks.violate(`${order.clientId} is rejected (${order.reason}) and was on the venue`);
  }
  if (tables.kill.cancels) nothingRests(sim);
  stopsAreWatched(sim);
  ledgers(sim, beside);
  commitments(sim);
}

const isOfRunning = ({ strategies }: Tables, clientId: string): boolean =>
  [...strategies.values()].some(
    ({ number, status }) => status !== "stopped" && isOfStrategy(clientId, number),
  );

/** As long as passes are made nobody is told that a stop price is not looked at. */
function stopsAreWatched({ checks, tables }: Sim): void {
  for (const [account, { memory }] of tables().accounts)
    for (const id of memory.unwatched ?? [])
      if (isWatchable(tables().strategies.get(id)))
        checks.violate(`${account} says that the stop price of ${id} is not watched`);
}

const isWatchable = (one: Strategy | undefined): boolean => one?.wants === "run" && one.status === "running";

/** After a panic no order of ours is on the venue, and every strategy has stopped. */
function nothingRests({ checks, history, tables, exchange }: Sim): void {
  const { orders, strategies } = tables();
  for (const { clientId } of history.latest(exchange).open)
    if (orders.has(clientId)) checks.violate(`${clientId} rests after a panic`);
  for (const { id, status } of strategies.values())
    if (status !== "stopped") checks.violate(`${id} is ${status} after a panic`);
}

/** What was booked from the order itself had no trade to be seen for ten minutes. */
function gaps(
  { history, checks, plan, illegible, clocks, tradeId, exchange, broken }: Sim,
  { clientId, exchangeId, symbol, sendBy, notAfter }: Order,
) {
  // Reads that are older than their bound can pass a trade by. Its fill is then booked from the order.
  if (broken === "read lag" || broken?.startsWith("steady lag")) return;
  const bookedAt = checks.gapBookedAt(clientId);
  // One that was found after a restore is booked from what it tells at once.
  if (bookedAt === undefined || sendBy === notAfter) return;
  const inTime = bookedAt - 2 * plan.timing.leaseTtl;
  const observed = history.past
    .fills(exchange, symbol, 0, inTime)
    .filter((fill) => fill.orderId === exchangeId);
  const all = history.allFills(exchange).filter((fill) => fill.orderId === exchangeId && fill.at <= inTime);
  // With the time of a clock that has jumped it is of no span that is read.
  if (all.some((fill) => illegible(tradeId(fill), bookedAt) || clocks.stamp(fill.at) !== fill.at)) return;
  if (all.length > 0 && observed.length === all.length)
    checks.violate(`${clientId} was booked from the order though its trades were there`);
}

/** The strategies together never claim more base than the account holds, unless a person took some away. */
function commitments(sim: Sim): void {
  const { history, checks, plan } = sim;
  const hasTraded = plan.deeds.some(
    ({ deed }) => deed.kind.startsWith("hand") || deed.kind === "outside_order",
  );
  if (hasTraded || hasForgottenFills(sim)) return;
  // Each by itself: a larger deposit at another time hides a withdrawal in their sum.
  const withdrawn = new Set(
    plan.deeds.flatMap(({ deed }) => (deed.kind === "deposit" && deed.amount < 0n ? [deed.asset] : [])),
  );
  const { holdings } = history.latest(sim.exchange);
  for (const [asset, { total }] of Object.entries(holdings)) {
    if (withdrawn.has(asset)) continue;
    const grids = [...sim.tables().strategies.values()].filter(
      // What a stopped one has left unsold is the person's.
      ({ symbol, status }) => splitPair(symbol).base === asset && status !== "stopped",
    );
    const claimed = grids.reduce((sum, { kind, state }) => sum + sim.kinds(kind).holdings(state).base, 0n);
    if (claimed > total) checks.violate(`the grids claim ${text(claimed)} ${asset} of ${text(total)}`);
  }
}

/** Whether a strategy has traded that a restored database knows nothing of. */
const hasForgottenFills = (sim: Sim): boolean => {
  const numbers = [...sim.tables().strategies.values()].map(({ number }) => number);
  return sim.history
    .allFills(sim.exchange)
    .map(({ orderId }) => clientIdOf(sim, orderId))
    .some((id) => parseClientOrderId(id) && !numbers.some((number) => isOfStrategy(id, number)));
};

const clientIdOf = ({ history, exchange }: Sim, id: string): string =>
  history.past.order(exchange, { id }, Number.POSITIVE_INFINITY)?.clientId ?? "";

const isBooked = ({ tables, simulation, tradeId }: Sim, symbol: string, id: string): boolean =>
  tables().fills.has(`${accountKey(simulation.account)} ${symbol} ${tradeId({ id, symbol })}`);

/** Left to the person by a stop: what fills from then on is not the strategy's. */
const isReleased = ({ settled, state }: Order): boolean =>
  settled && (state === "open" || state === "partially_filled");

/**
 * Whether a fill is of an order's strategy. Of an order that a stop has left to the person, only what was booked before is,
 * by its trade or from the order's totals.
 */
function isStrategyFill(
  sim: Sim,
  order: Order | undefined,
  { id, orderId, symbol, at }: BookedFill,
): boolean {
  if (!order?.strategy) return false;
  if (!isReleased(order) || isBooked(sim, symbol, id)) return true;
  const unbooked = sim.history
    .allFills(sim.exchange)
    .filter((one) => one.orderId === orderId && one.at <= at && !isBooked(sim, symbol, one.id));
  return sum(unbooked.map(({ amount }) => amount)) <= order.gap;
}

function settledDown(sim: Sim, strategy: Strategy): void {
  const { checks } = sim;
  const { id, number, status, wants, state, lastError, phase } = strategy;
  const live = checks.liveOf(number);
  if (sim.isDelisted(strategy.symbol)) {
    if (live.length > 0) checks.violate(`${id} has orders on a pair that is not listed`);
    if (wants === "stop" && status !== "stopped") checks.violate(`${id} never stops: its pair is not listed`);
    return;
  }
  leftNothing(sim, strategy);
  if (wants === "stop") {
    // The kill switch keeps an exit from selling.
    const isKept = sim.killAt !== undefined && state.exit !== null && live.length === 0;
    if (status !== "stopped" && !isKept)
      checks.violate(`${id} is wanted to stop and is ${status} (${phase})`);
    return;
  }
  if (status === "error") {
    checks.violate(`${id} is in error: ${lastError}`);
    return;
  }
  if (wants === "pause" && (isQuote(strategy) || isOwnKind(strategy)) && live.length > 0)
    checks.violate(`${id} is paused and ${live.length} of its orders rest`);
  if (wants === "pause") return;
  const { endsAt } = strategy.config;
  if (endsAt !== undefined && endsAt <= sim.plan.quietAt && !state.exit)
    checks.violate(`${id} is ${status} (${phase}) and should have ended`);
  if (status === "idle") return;
  if (state.exit) {
    if (status !== "stopped" && sim.killAt === undefined)
      checks.violate(`${id} has reached its ${state.exit.reason} and is ${status} (${phase})`);
    return;
  }
  if (isQuote(strategy)) sidesAtRest(sim, strategy, live);
  if (isOwnKind(strategy)) idsAtRest(sim, strategy, live);
  if (isGrid(strategy)) slotsAtRest(sim, strategy, live);
}

/** Both sides rest, or it says which one does not and why. */
function sidesAtRest(sim: Sim, strategy: QuoteStrategy, live: readonly BookedOrder[]): void {
  const { checks, killAt } = sim;
  const { id, state, lastError, phase } = strategy;
  for (const side of ["buy", "sell"] as const) {
    const rests = live.some((order) => order.side === side);
    const isReported = state.refused.length > 0 || state.notices.length > 0 || killAt !== undefined;
    if (!rests && !isReported)
      checks.violate(`${id} (${phase}, ${lastError}) has no ${side} and says nothing of it`);
  }
  if (state.quoted?.reference === null) checks.violate(`${id} has no reference on a quiet market`);
  if (killAt === undefined) quotesAtRest(sim, strategy, live);
}

/** Each id has at most one order; one whose function has failed has none, and any other has one or says why not. */
function idsAtRest({ checks, killAt }: Sim, strategy: OwnStrategy, live: readonly BookedOrder[]): void {
  const { id, state, resumes, lastError, phase } = strategy;
  const slots = live.map(({ clientId }) => parseClientOrderId(clientId)?.slot ?? 0);
  if (new Set(slots).size < slots.length) checks.violate(`${id} has two orders with one id`);
  const isFaulty = state.fault?.resumes === resumes;
  if (isFaulty && live.length > 0) checks.violate(`${id} has failed and ${live.length} of its orders rest`);
  const isReported = isFaulty || state.refused.length > 0 || state.notices.length > 0 || killAt !== undefined;
  if (live.length === 0 && !isReported)
    checks.violate(`${id} (${phase}, ${lastError}) has no orders and says nothing of it`);
}

/** Where nothing is refused each order lies as near to the price as was asked for, and no loss is beyond its bound. */
function quotesAtRest(sim: Sim, strategy: QuoteStrategy, live: readonly BookedOrder[]): void {
  const { checks, simulation, scheduler } = sim;
  const { id, symbol, state, config } = strategy;
  const market = sim.marketOf(symbol);
  const { rules, tolerance, fixed, maxLoss } = config;
  const ticks = simulation.listings(simulation.venue, symbol, {})?.path.at(scheduler.now()) ?? TICKS;
  const price = BigInt(Math.round(ticks)) * market.tick;
  const total =
    state.ledger.quote + mul(state.base, price, "half") - state.first.cost - state.ledger.feesValue;
  if (maxLoss !== undefined && (state.lostAt ?? null) === null && !fixed && total < -2n * maxLoss)
    checks.violate(`${id} has lost ${text(-total)} of the ${text(maxLoss)} that it may, and goes on`);
  if (state.refused.length + state.notices.length > 0) return;
  const half = rules.avellaneda ? rules.widest : max(rules.halfSpread, market.maker);
  const outermost = rules.sizes.model === "depth" ? rules.sizes.within : rules.gap * BigInt(rules.levels);
  const reach = rules.mostSkew + half + outermost + 2n * tolerance.price;
  const [least, most] = fixed && fixed.price < price ? [fixed.price, price] : [price, fixed?.price ?? price];
  for (const order of live)
    if (order.price < mul(least, ONE - reach, "down") || order.price > mul(most, ONE + reach, "up"))
      checks.violate(`${order.clientId} rests at ${text(order.price)} while the price is ${text(price)}`);
}

/** Every slot rests one right order, or says why it does not. */
function slotsAtRest(sim: Sim, strategy: GridStrategy, live: readonly BookedOrder[]): void {
  const { checks, simulation } = sim;
  const { id, state, symbol, lastError, phase } = strategy;
  if (state.rebuild || state.trail.way) checks.violate(`${id} is still ${phase} (${lastError})`);
  for (const slot of state.slots) {
    const mine = live.filter((order) => parseClientOrderId(order.clientId)?.slot === slot.index);
    const refusal = state.refused.find((one) => one.slot === slot.index);
    const isRight = mine.length === 1 && mine[0]?.side === slot.side && isAtRest(sim, slot, mine[0]);
    const isKilled = sim.killAt !== undefined && refusal?.reason === "killed";
    const isExcused =
      refusal !== undefined &&
      (isKilled ||
        (refusal.reason === "limit_loss" && strategy.config.maxLoss !== undefined) ||
        QUIET_REASONS.has(refusal.reason) ||
        isThrough(sim, strategy, slot, refusal) ||
        isTooSmallBelow(sim, strategy, slot, refusal));
    if (!isRight && !(mine.length === 0 && (isExcused || isOffClock(sim, strategy, slot))))
      checks.violate(
        `${id} slot ${slot.index} (${slot.side}) has ${mine.map(({ clientId, side, price }) => `${clientId} ${side} ${text(price)}`).join() || "no order"}; should be at ${text(slot.lower)} or ${text(sellPrice(slot))}; refused: ${refusal?.reason ?? "no"}; ${symbol} ${simulation.venue}`,
      );
  }
}

/**
 * An exchange whose clock is far behind refuses every order, as signed in the future. If the last pass sent one, the slot
 * does not show the refusal yet.
 */
function isOffClock({ broken, tables }: Sim, { id }: GridStrategy, { index }: Slot): boolean {
  if (broken !== "skew") return false;
  const mine = [...tables().orders.values()].filter(
    ({ strategy, slot }) => strategy === id && slot === index,
  );
  return mine.at(-1)?.state === "rejected";
}

/** The collar holds back only what would trade far through the price as it is now. */
function isThrough(
  { simulation, scheduler, marketOf }: Sim,
  { symbol }: GridStrategy,
  slot: Slot,
  { reason }: { reason: string },
): boolean {
  const ticks = simulation.listings(simulation.venue, symbol, {})?.path.at(scheduler.now());
  if (reason !== "limit_collar" || ticks === undefined) return false;
  const price = BigInt(Math.round(ticks)) * marketOf(symbol).tick;
  return slot.side === "buy" ? slot.lower > (price * 109n) / 100n : sellPrice(slot) < (price * 91n) / 100n;
}

/** A buy whose level would take is worth less than its market's new minimum at the price as it is now. */
function isTooSmallBelow(
  { simulation, scheduler, marketOf }: Sim,
  { symbol }: GridStrategy,
  { side, lower, size }: Slot,
  { reason }: { reason: string },
): boolean {
  const { tick, minNotional } = marketOf(symbol);
  const ticks = simulation.listings(simulation.venue, symbol, {})?.path.at(scheduler.now());
  if (reason !== "would_take" || side !== "buy" || ticks === undefined) return false;
  const price = BigInt(Math.round(ticks)) * tick;
  return price <= lower && mul(div(size, lower, "up"), price, "up") < minNotional;
}

/** At its level, or at a better price while its level would take. */
function isAtRest(sim: Sim, slot: Slot, { side, price, symbol }: BookedOrder) {
  const { simulation, scheduler, plan } = sim;
  const level = side === "buy" ? slot.lower : sellPrice(slot);
  // A level of another tick has an order of the nearest price that its market takes.
  if (plan.edition === IS_OF.rules && abs(price - level) <= 2n * MAX_PRICE_TICK) return true;
  const listed = simulation.listings(simulation.venue, symbol, {});
  if (price === level || !listed) return price === level;
  const isBetter = side === "buy" ? price < level : price > level;
  const at = Math.min(scheduler.now(), plan.endAt);
  return isBetter && takes({ side, price: level }, tickerAt(listed.market, listed.path, at));
}

/** An exit leaves only what the venue would not take, unless a person has taken it away or locked it. */
function leftNothing(sim: Sim, strategy: Strategy): void {
  const { checks, history, plan, tables, kinds, exchange, marketOf } = sim;
  const { id, kind, status, state, symbol, stoppedAt } = strategy;
  const market = marketOf(symbol);
  if (!state.exit || state.exit.keeps || status !== "stopped") return;
  const left = roundToStep(kinds(kind).holdings(state).base, market.lot, "down");
  const { base } = splitPair(symbol);
  const isAccepted =
    plan.deeds.some(({ deed: one }) => one.kind === "deposit" && one.asset === base && one.amount < 0n) ||
    hasSold(sim, base, stoppedAt);
  const { total = 0n, used = 0n } = history.latest(exchange).holdings[base] ?? {};
  // What other strategies hold by now is theirs, in an order or not.
  const others = [...tables().strategies.values()].filter(
    (one) => one !== strategy && one.status !== "stopped",
  );
  const theirs = sum(
    others
      .filter((one) => splitPair(one.symbol).base === base)
      .map((one) => kinds(one.kind).holdings(one.state).base),
  );
  const isThere = total - max(used, theirs) >= left;
  // The price of that time is not known any more: half the start price is below any of them.
  const first = isGrid(strategy) ? strategy.state.startPrice : BigInt(TICKS) * decimal("0.01");
  const worth = mul(left, first / 2n, "down");
  // Nor is the minimum of that time, if it has changed.
  const minimums = plan.deeds.map(({ deed: one }) => (one.kind === "rules" && one.rules.minNotional) || 0n);
  const minimum = minimums.reduce(max, market.minNotional);
  if (isThere && !isAccepted && worth > 2n * minimum)
    checks.violate(`${id} has left the market and still holds ${text(left)}`);
}

/**
 * Whether a person has offered or sold this base before a grid was done with it: the account then had none left for it.
 * A restored database can have lost the row of a sale that the venue still shows.
 */
function hasSold(sim: Sim, base: string, stoppedAt: number | null): boolean {
  const isSale = ({ side, symbol }: Pick<Order, "side" | "symbol">, at: number) =>
    side === "sell" && splitPair(symbol).base === base && at <= (stoppedAt ?? 0);
  return (
    [...sim.tables().orders.values()].some(
      (order) => order.strategy === null && order.exchangeId !== null && isSale(order, order.createdAt),
    ) ||
    sim.history
      .allFills(sim.exchange)
      .some((fill) => isSale(fill, fill.at) && !parseClientOrderId(clientIdOf(sim, fill.orderId)))
  );
}

/** Base that a strategy booked as never credited: a small part that a person took away looks the same. */
function writtenOff(sim: Sim, { id, symbol }: Pick<Strategy, "id" | "symbol">): bigint {
  if (!hasSold(sim, splitPair(symbol).base, Number.MAX_SAFE_INTEGER)) return 0n;
  const events = sim.tables().events.filter(({ kind, strategy }) => kind === "rounded" && strategy === id);
  return sum(events.map(({ message }) => decimal(/has ([\d.]+) /.exec(message)?.[1] ?? "0")));
}

function ledgers(sim: Sim, beside: Moved): void {
  const { checks, history, plan } = sim;
  const tables = sim.tables();
  const { strategies } = tables;
  const { holdings } = history.latest(sim.exchange);
  const grids = [...strategies.values()];
  const fills = history.allFills(sim.exchange);
  for (const asset of Object.keys(plan.holdings)) {
    const change = (holdings[asset]?.total ?? 0n) - (plan.holdings[asset] ?? 0n) - (beside.get(asset) ?? 0n);
    let other = 0n;
    for (const fill of fills) {
      const { orderId, symbol, side, price, amount, fee } = fill;
      if (isStrategyFill(sim, tables.orders.get(clientIdOf(sim, orderId)), fill)) continue;
      const { base, quote } = splitPair(symbol);
      const sign = side === "buy" ? 1n : -1n;
      if (base === asset) other += sign * amount;
      if (quote === asset) other -= (sign * price * amount) / 10n ** 18n;
      if (fee.asset === asset) other -= fee.amount;
    }
    const reportedValue = grids.reduce(
      (sum, { id, kind, symbol, state }) =>
        sum +
        (sim.kinds(kind).movedByBooks(state, symbol)[asset] ?? 0n) +
        (splitPair(symbol).base === asset ? writtenOff(sim, { id, symbol }) : 0n),
      0n,
    );
    if (change - other !== reportedValue)
      checks.violate(
        `${asset}: the account changed by ${text(change - other)} and the ledgers say ${text(reportedValue)}`,
      );
  }
  for (const grid of grids.filter(isGrid)) ownSums(sim, grid);
  for (const { id, config, state } of grids.filter(isGrid))
    for (const { index, size, grown = 0n } of config.centered ? [] : state.slots)
      if (size - grown !== config.orderSize || grown < 0n)
        checks.violate(
          `${id}/${index}: ${text(size)} with ${text(grown)} of profit is not its configured size`,
        );
  for (const { id, state } of grids.filter(isGrid)) {
    const worth = worthOfFees(tables, id);
    if (worth !== state.ledger.feesValue)
      checks.violate(`${id}: its fees are worth ${text(worth)} and it says ${text(state.ledger.feesValue)}`);
    const cost = costInAll(state);
    if (state.ledger.quote + cost - state.ledger.firstCost - state.ledger.feesValue !== state.ledger.realized)
      checks.violate(
        `${id}: quote ${text(state.ledger.quote)} + cost ${text(cost)} − first cost is not realized ${text(state.ledger.realized)}`,
      );
  }
}

/** Of each grid by itself: what the exchange has executed of its orders is what its books hold, asset by asset. */
function ownSums(sim: Sim, { id, number, symbol, state }: GridStrategy): void {
  const { orders } = sim.tables();
  const executed = sim.history.allFills(sim.exchange).flatMap((fill) => {
    const row = orders.get(clientIdOf(sim, fill.orderId));
    const notional = (fill.price * fill.amount) / ONE;
    return row && isStrategyFill(sim, row, fill) && isOfStrategy(row.clientId, number)
      ? [{ ...fill, notional, fees: [fill.fee] }]
      : [];
  });
  const { base, quote } = splitPair(symbol);
  const { cash, firstBase, quote: moved } = state.ledger;
  const position = positionOf([...state.slots, ...state.idle]) + writtenOff(sim, { id, symbol });
  const books = { ...cash, [base]: position - firstBase, [quote]: moved };
  for (const what of differences(id, books, movedBy(executed))) sim.checks.violate(what);
}

/** What fees in third assets were worth when they were taken, as each fill tells. */
const worthOfFees = ({ fills }: Tables, id: string): bigint =>
  [...fills.values()]
    .filter(({ strategy, superseded }) => strategy === id && !superseded)
    .flatMap(({ fees }) => fees)
    .reduce((sum, { value = 0n }) => sum + value, 0n);
