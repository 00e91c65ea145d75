/**
 * Four exchanges on the loopback interface, each speaking its own REST dialect as ccxt calls it, over one matching
 * engine. They check key, signature, passphrase, time window and nonce as the real ones do.
 *
 *   const venue = await startVenue("kraken");          // also: mexc, gateio, bitget; any number at once
 *   venue.url                                           // http://127.0.0.1:PORT, for --venue-url kraken=…
 *   venue.keys                                          // { key, secret, passphrase } of the first account
 *   await venue.close();
 *
 * Options: clock (real time when left out; virtual: () => millis), balances, buyFeeIn, port, unified (bitget, gateio).
 *
 * The market:   move(symbol, "60100")      the price; resting orders it reaches fill whole, at their own price
 *               follow(symbol, [[at, price], …])   a prescribed path, walked as the clock runs
 *               fill(id, "0.1"?)           someone meets a resting order, whole or in part; dust(id): next to nothing of it
 *               tellFees(id, false)   nobody tells the fees of an order, until told otherwise
 *               others({ symbol, side, price, amount })   someone else's limit order: takes what accounts rest, then rests
 *               own({ … clientId? })       an order of the account that came another way
 *               stop({ symbol, side, type, trigger, price?, amount })   one that waits for a price outside the book
 *               past(symbol, minutes)      the candles of a pair, with the holes that it has
 *               list(symbol, { active, minNotional, … })  changes a listing
 * Accounts:     addKeys({ balances?, account?, may? })   another key pair: of a new account, or of a given one
 *               revokeKeys(key)                          the exchange refuses it from then on
 *               deposit(asset, "5"), earn(asset), credit(asset, decimals), holdings(), unify()   makes it a unified account, or a classic one again
 * What is so:   selfTrades(): what must never be; orders(), open(symbol?), executions(), order(id), byClient(clientId): the venue's truth, no read lag
 * Requests:     count(route?), seen (route, key, status), resetCounts(); limited: calls that kraken's counters refused; rest()
 * Faults:       fail({ kind, route?, times?, skip?, acts?, millis?, code?, text? }) (kinds: faults.ts), chance(route => fault), heal()
 *               late({ orders: 5000, trades: 0 })   reads show what is new so much later
 *               latency.before / latency.after   milliseconds of real time around the act
 *               alter(route, body => body)   another payload in place of the answer, until `alter(route)`
 *               skew(millis)   the venue's clock against the given one
 * Streams:      stream   the WebSocket side and its faults: stream/hub.ts
 */

import { decimal, text, ZERO } from "../../src/kernel/decimal.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { Candle, Side, Tier, VenueName } from "../../src/model/market.ts";
import { canary, canarySecret } from "../support/canary.ts";
import type { Account, VenueKeys } from "./account.ts";
import { bitget } from "./bitget.ts";
import { type Listing, listingsOf, type Row } from "./catalog.ts";
import type { Dialect, Member, Route } from "./dialect.ts";
import { createEngine } from "./engine.ts";
import type { Fault, Switch } from "./faults.ts";
import { gateio } from "./gateio.ts";
import { kraken } from "./kraken.ts";
import { rest } from "./kraken-limits.ts";
import { mexc } from "./mexc.ts";
import type { Execution, Order, StopWords } from "./order.ts";
import { serveVenue } from "./server.ts";
import { bitget as bitgetStream } from "./stream/bitget.ts";
import { gateio as gateioStream } from "./stream/gateio.ts";
import { serveStreams } from "./stream/hub.ts";
import { kraken as krakenStream } from "./stream/kraken.ts";
import { mexc as mexcStream } from "./stream/mexc.ts";
import type { StreamDialect } from "./stream/session.ts";

const DIALECTS: Record<VenueName, Dialect> = { mexc, gateio, bitget, kraken };
const STREAMS: Record<VenueName, StreamDialect> = {
  mexc: mexcStream,
  gateio: gateioStream,
  bitget: bitgetStream,
  kraken: krakenStream,
};

export interface VenueOptions {
  readonly clock?: () => Millis;
  readonly balances?: Readonly<Record<string, string>>;
  readonly buyFeeIn?: "base" | "quote";
  readonly port?: number;
  /** Further pairs that it lists. */
  readonly pairs?: readonly Row[];
  /** Accounts are unified ones, where the exchange has such. */
  readonly unified?: boolean;
  /** By which kraken counts; the least when left out. */
  readonly tier?: Tier;
  /** Keys of the first account, in place of made ones. */
  readonly keys?: Partial<VenueKeys>;
}

export type EmulatedVenue = Awaited<ReturnType<typeof startVenue>>;

interface OwnOrder {
  readonly symbol: Pair;
  readonly side: Side;
  readonly price: string;
  readonly amount: string;
  readonly clientId?: string;
  readonly account?: Account;
}

const BALANCES = {
  USDT: "100000",
  USD: "100000",
  EUR: "100000",
  BTC: "2",
  ETH: "30",
  LTC: "100",
  ADA: "100000",
  SNEK: "10000000",
};

export async function startVenue(name: VenueName, options: VenueOptions = {}) {
  const dialect = DIALECTS[name];
  const given = options.clock ?? Date.now;
  let offset: Millis = 0;
  const clock = () => given() + offset;
  const listings = listingsOf(name, options.pairs);
  const engine = createEngine({
    listings,
    clock,
    ids: dialect.ids,
    maxOpen: dialect.maxOpen,
    cancelsTaking: dialect.cancelsTaking,
    buyFeeIn: options.buyFeeIn ?? dialect.buyFeeIn,
  });
  const members = new Map<string, Member>();
  const server = await serveVenue(dialect, {
    engine,
    members,
    clock,
    port: options.port ?? 0,
    onRequest: () => advance(),
  });
  const stream = serveStreams(server.http, STREAMS[name], { engine, members, clock });

  function addKeys(
    expected: {
      balances?: Readonly<Record<string, string>>;
      account?: Account;
      unified?: boolean;
      may?: Partial<VenueKeys["may"]>;
    } & Partial<Omit<VenueKeys, "may">> = {},
  ) {
    const number = members.size + 1;
    const account = expected.account ?? engine.addAccount(expected.balances ?? options.balances ?? BALANCES);
    if (!expected.account) account.unified = expected.unified ?? options.unified ?? false;
    const keys: VenueKeys = {
      key: expected.key ?? canary(`${name}-key-${number}`),
      secret: expected.secret ?? canarySecret(`${name} ${number}`),
      passphrase: expected.passphrase ?? canary(`${name}-passphrase-${number}`),
      tier: expected.tier ?? options.tier ?? "starter",
      may: { read: true, trade: true, withdraw: false, ...expected.may },
    };
    members.set(keys.key, { keys, account, nonce: 0n });
    return { ...keys, account };
  }

  const listing = (symbol: Pair): Listing => {
    const found = listings.get(symbol);
    if (!found) throw new Error(`${symbol} is not listed on the emulated ${name}`);
    return found;
  };
  const first = addKeys(options.keys);
  const paths: { symbol: Pair; points: (readonly [Millis, string])[] }[] = [];

  /** Walks prescribed paths and late requests up to now; every request does it first. */
  function advance() {
    server.catchUp();
    const now = clock();
    for (const { symbol, points } of paths) {
      while (points[0] && points[0][0] <= now)
        engine.move(symbol, decimal((points.shift() as [Millis, string])[1]));
    }
  }

  return {
    name,
    url: server.url,
    keys: { key: first.key, secret: first.secret, passphrase: first.passphrase },
    account: first.account,
    engine,
    latency: server.latency,
    stream,
    observed: server.observed,
    addKeys,
    /** From now on the exchange refuses them. */
    revokeKeys: (key: string): boolean => members.delete(key),
    accountOf: (key: string): Account => members.get(key)?.account ?? first.account,
    advance,

    move(symbol: Pair, price: string) {
      advance();
      engine.move(listing(symbol).symbol, decimal(price));
    },
    /** From now on its book is thin and random. */
    thin(symbol: Pair, seed: number) {
      engine.prices.thin.set(listing(symbol).symbol, seed);
    },
    follow(symbol: Pair, points: readonly (readonly [Millis, string])[]) {
      paths.push({ symbol: listing(symbol).symbol, points: [...points] });
    },
    /** The past of a pair in minutes; before the first of them it was not listed. */
    past: (symbol: Pair, minutes: readonly Candle[]) => engine.histories.set(listing(symbol).symbol, minutes),
    price: (symbol: Pair) => text(engine.prices.now(symbol)),
    fill: (id: string, amount?: string) =>
      engine.fill(id, amount === undefined ? undefined : decimal(amount)),
    /** A hundred-millionth of an order: on kraken its cost is told, and taken, as nothing. */
    dust: (id: string) => (name === "kraken" ? engine.dust(id) : engine.fill(id, decimal("0.00000001"))),
    /** Whether the fees of an order are told; where not, neither its trades nor it name them. */
    tellFees(id: string, isReported: boolean) {
      const order = engine.order(id);
      if (order) order.hidesFee = !isReported;
    },
    others({
      symbol,
      side,
      price,
      amount,
    }: {
      symbol: Pair;
      side: Side;
      price: string;
      amount: string;
    }): Order {
      return engine.placeOther({
        listing: listing(symbol),
        clientId: "",
        side,
        type: "limit",
        force: "gtc",
        price: decimal(price),
        amount: decimal(amount),
      });
    },
    /** An order of the account that came another way than over the emulated API. */
    own({ symbol, side, price, amount, clientId = "", account = first.account }: OwnOrder): Order {
      const placed = engine.place(account, {
        listing: listing(symbol),
        clientId,
        side,
        type: "limit",
        force: "gtc",
        price: decimal(price),
        amount: decimal(amount),
      });
      if (typeof placed === "string") throw new Error(`refused: ${placed}`);
      return placed;
    },
    /** An order that a person lets wait for a price, of a type in the exchange's words; without `price` it has no limit. */
    stop({
      symbol,
      side,
      price,
      amount,
      ...stop
    }: Omit<OwnOrder, "price"> & { readonly price?: string } & StopWords) {
      return engine.placeStop(
        first.account,
        {
          listing: listing(symbol),
          clientId: "",
          side,
          type: price === undefined ? "market" : "limit",
          force: "gtc",
          price: decimal(price ?? "0"),
          amount: decimal(amount),
        },
        stop,
      );
    },
    list: (symbol: Pair, change: Partial<Listing>) => Object.assign(listing(symbol), change),

    deposit: (asset: string, amount: string, account: Account = first.account) =>
      engine.deposit(account, asset, decimal(amount)),
    /** From now on the asset is credited in whole units of so many decimals; kraken publishes them. */
    credit: (asset: string, decimals: number) => engine.settings.decimals.set(asset, decimals),
    /** The first key's owner lets it do other things. */
    grant(may: Partial<VenueKeys["may"]>) {
      const member = members.get(first.key);
      if (member)
        members.set(first.key, { ...member, keys: { ...member.keys, may: { ...member.keys.may, ...may } } });
    },
    /** The account's owner has it made the other kind, as both exchanges let them. */
    unify(unified = true, account: Account = first.account) {
      account.unified = unified;
    },
    /** From now on what is held of the asset earns rewards: kraken shows it as `LTC.F`. */
    earn: (asset: string, account: Account = first.account) => account.earning.add(asset),
    /** Total and used per asset, as text. */
    holdings: (account: Account = first.account) =>
      Object.fromEntries(
        [...account.holdings].map(([asset, { total, used }]) => [
          asset,
          { total: text(total), used: text(used) },
        ]),
      ),
    total: (asset: string, account: Account = first.account) => account.holdings.get(asset)?.total ?? ZERO,

    orders: (account: Account = first.account): readonly Order[] => account.orders,
    open: (symbol?: Pair, account: Account = first.account): Order[] =>
      [...account.open.values()].filter((order) => symbol === undefined || order.listing.symbol === symbol),
    executions: (account: Account = first.account): Execution[] =>
      engine.executions.filter(({ order }) => order.account === account),
    /** Trades of an account with itself. */
    selfTrades: () => engine.selfTrades,
    order: engine.order,
    byClient: (clientId: string, account: Account = first.account): readonly Order[] =>
      [...account.byClientId].flatMap(([id, orders]) =>
        id === clientId || id === `t-${clientId}` ? orders : [],
      ),

    /** Requests since the start or the last reset. */
    count: (route?: Route): number =>
      route
        ? (server.counts.get(route) ?? 0)
        : [...server.counts.values()].reduce((sum, one) => sum + one, 0),
    /** Calls that found the exchange's own counter full, oldest first. */
    limited: server.limited,
    /** Its counters are empty, as after minutes without a call. */
    rest() {
      for (const member of members.values()) rest(member);
    },
    resetCounts() {
      server.counts.clear();
      server.observed.length = 0;
    },

    fail: (fault: Switch) => server.faults.on(fault),
    chance: (decide: ((route: Route) => Fault | undefined) | undefined) => server.faults.chance(decide),
    alter(route: Route, change?: (body: never) => unknown) {
      if (change) server.changes.set(route, change as (body: unknown) => unknown);
      else server.changes.delete(route);
    },
    heal() {
      server.faults.off();
      server.changes.clear();
      engine.settings.ordersLate = 0;
      engine.settings.tradesLate = 0;
    },
    late({ orders, trades }: { orders?: Millis; trades?: Millis }) {
      engine.settings.ordersLate = orders ?? engine.settings.ordersLate;
      engine.settings.tradesLate = trades ?? engine.settings.tradesLate;
    },
    /** Takes fees in a third asset, at its price in quote; undefined ends it. */
    deduct(third: { asset: string; price: string } | undefined) {
      engine.settings.deduct = third && { asset: third.asset, price: decimal(third.price) };
    },
    skew(millis: Millis) {
      offset = millis;
    },
    async close() {
      stream.close();
      await server.close();
    },
  };
}
