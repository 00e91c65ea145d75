import type { Pair } from "../../kernel/pair.ts";
import type { Order } from "../../model/order.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { Snapshot, StepStore } from "../../ports/stores/step-store.ts";
import type { Venue, VenueOrder } from "../../ports/venue.ts";
import type { MarketSnapshot, Observation } from "../reconcile/observation.ts";
import type { OrderReport } from "../reconcile/order-life.ts";
import type { Budget } from "./budget.ts";
import { mayCreate } from "./may-create.ts";
import { readCandles } from "./observe-candles.ts";
import { readElsewhere } from "./observe-elsewhere.ts";
import { searchEnded } from "./observe-ended.ts";
import { readFills, readLacking } from "./observe-fills.ts";
import { readMarkets } from "./observe-markets.ts";
import { type MeasuredStore, readMeasuredFills } from "./observe-measured.ts";
import { readFeePrices } from "./observe-prices.ts";
import { lookAtStrangers, strangersAmong } from "./observe-strangers.ts";
import { askWithin } from "./within-budget.ts";

/** Reads what a pass needs, in an order that misses nothing: open orders before trades, both before lookups. */
export async function observe(
  venue: Venue,
  deps: Pick<Deps, "kinds" | "reference"> & { readonly store: StepStore & MeasuredStore },
  snapshot: Snapshot,
  budget: Budget,
): Promise<Observation & { readonly short: boolean }> {
  const { store, kinds } = deps;
  const balancesFirst = snapshot.strategies.some(
    ({ phase, wants }) => phase === "starting" && wants === "run",
  );
  const readBalances = async () => (await askWithin(budget, () => venue.balances()))?.answer;
  const first = balancesFirst ? await readBalances() : undefined;
  const readBeside = first || !venue.readsTogether || !anyRuns(snapshot) ? undefined : readBalances;

  const marketReads = await readMarkets(venue, snapshot, { kinds, readBeside }, budget);
  const { markets, refused, reports } = marketReads;
  let { short } = marketReads;
  let balances = first ?? marketReads.balances;
  await readElsewhere({ ...deps, venue }, snapshot, markets, budget);
  await readCandles({ kinds, venue }, snapshot, markets, budget);
  await readMeasuredFills({ kinds, store }, snapshot, markets);
  short = (await readForCreates(venue, snapshot, { markets, reports, kinds }, budget)) || short;
  if (!balances && mayCreate(snapshot, markets, reports, kinds)) {
    balances = await readBalances();
    short ||= !balances;
  }
  const ended = await searchEnded(venue, snapshot, markets, budget);
  const strangers = await findStrangers(venue, { store, snapshot, markets, reports, ended }, budget);
  const { reports: named, short: isShort, ...ofStrangers } = strangers;
  for (const [clientId, order] of named) reports.set(clientId, order);
  const whole = new Map<Pair, MarketSnapshot>();
  for (const [symbol, observed] of markets) {
    const found = strangers.found.filter((order) => order.symbol === symbol);
    whole.set(symbol, await readLacking(venue, snapshot, symbol, { observed, reports, found }, budget));
  }
  const feePrices = await readFeePrices(venue, whole, budget);
  const read = { refused, reports, balances, balancesFirst, feePrices, timing: venue.timing };
  return { ...read, ...ofStrangers, markets: whole, short: short || isShort };
}

const anyRuns = ({ strategies, kill }: Snapshot): boolean =>
  !kill.on && strategies.some(({ wants }) => wants === "run");

/**
 * Reads trades of each market in which an order can be placed, even if no order changed, because the database can
 * lack an order that has filled. Returns whether some are left to read.
 */
async function readForCreates(
  venue: Venue,
  snapshot: Snapshot,
  {
    markets,
    reports,
    kinds,
  }: {
    readonly markets: Map<Pair, MarketSnapshot>;
    readonly reports: ReadonlyMap<string, OrderReport>;
    readonly kinds: Kinds;
  },
  budget: Budget,
): Promise<boolean> {
  let short = false;
  for (const [symbol, observed] of markets) {
    const strategies = snapshot.strategies.filter((strategy) => strategy.symbol === symbol);
    if (observed.tradesRead || observed.reading) continue;
    if (!mayCreate({ ...snapshot, strategies }, markets, reports, kinds)) continue;
    const fills = await readFills(venue, snapshot, symbol, budget);
    markets.set(symbol, { ...observed, ...fills, tradesRead: !fills.short });
    short ||= fills.short;
  }
  return short;
}

/** Classifies orders on the exchange that match no unsettled row, and finds those that are ours. */
async function findStrangers(
  venue: Venue,
  {
    store,
    snapshot,
    markets,
    reports,
    ended,
  }: {
    readonly store: StepStore;
    readonly snapshot: Snapshot;
    readonly markets: ReadonlyMap<Pair, MarketSnapshot>;
    readonly reports: ReadonlyMap<string, OrderReport>;
    readonly ended: readonly VenueOrder[];
  },
  budget: Budget,
) {
  const strangers = [...strangersAmong(snapshot, markets, reports, ended)];
  const known = await store.ordersByIds(snapshot.lease.account, { exchange: strangers, client: [] });
  const unknown = strangers.filter((id) => !known.some(({ exchangeId }) => exchangeId === id));
  const looked = await lookAtStrangers(venue, snapshot, markets, { unknown, ended, budget });
  const named = await store.ordersByIds(snapshot.lease.account, {
    exchange: [],
    client: looked.found.map(({ clientId = "" }) => clientId),
  });
  const met = meet(snapshot, looked.found, named);
  return {
    reports: met.reports,
    found: met.found,
    late: [
      ...known,
      ...met.late.filter(({ clientId }) => !known.some((order) => order.clientId === clientId)),
    ],
    foreign: looked.foreign,
    unlooked: looked.unlooked,
    short: looked.short,
  };
}

/** Matches found orders with rows by client id: a pending one is confirmed, and one that was given up exists after all. */
function meet({ orders }: Snapshot, found: readonly VenueOrder[], named: readonly Order[]) {
  const reports = new Map<string, OrderReport>();
  const late: Order[] = [];
  const rest: VenueOrder[] = [];
  for (const venueOrder of found) {
    const row = named.find(({ clientId }) => clientId === venueOrder.clientId);
    if (!row) rest.push(venueOrder);
    else if (orders.some(({ clientId }) => clientId === row.clientId)) reports.set(row.clientId, venueOrder);
    else late.push({ ...row, exchangeId: venueOrder.id });
  }
  return { reports, late, found: rest };
}
