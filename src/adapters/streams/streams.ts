import { VenueError } from "../../kernel/errors.ts";
import { lazy } from "../../kernel/lazy.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import { type AccountRef, accountKey } from "../../model/account.ts";
import type { VenueName } from "../../model/market.ts";
import type { Hint, Keys, Stream, StreamListener, Streams, StreamTopics } from "../../ports/venue.ts";
import { type ExchangeLink, noKeys } from "../ccxt/account/exchange-link.ts";
import { createSession } from "../ccxt/account/session.ts";
import { bitgetStream } from "./bitget.ts";
import { gateioStream } from "./gateio.ts";
import { krakenStream } from "./kraken.ts";
import { mexcStream } from "./mexc.ts";
import {
  type ConnectionKind,
  openLine,
  type StreamAccess,
  type StreamDialect,
  type StreamPlatform,
  type StreamReading,
  type TopicRequest,
} from "./stream-connection.ts";

const DIALECTS: Record<VenueName, StreamDialect> = {
  mexc: mexcStream,
  gateio: gateioStream,
  bitget: bitgetStream,
  kraken: krakenStream,
};

/** Access to one account of a configured exchange. */
export interface LiveAccess {
  readonly venue: VenueName;
  readonly link: ExchangeLink;
  readonly keys: () => Promise<Keys | undefined>;
}

/** Returns the line that has the prices; the private one too if it can. */
const priceLineOf = ({ isSplit }: StreamDialect, { orders }: StreamTopics): ConnectionKind =>
  isSplit || orders.length === 0 ? "public" : "private";

const linesFor = (dialect: StreamDialect, topics: StreamTopics): ConnectionKind[] => [
  ...(topics.orders.length > 0 ? (["private"] as const) : []),
  ...(topics.prices.length > 0 && priceLineOf(dialect, topics) === "public" ? (["public"] as const) : []),
];

const NO_TOPICS: StreamTopics = { orders: [], prices: [] };

/** Hints of one kind and pair within this time become one. */
const MERGE_FOR: Millis = 50;

/** Opens the exchanges' WebSocket streams. `accessOf` returns undefined for accounts without real exchanges. */
export const venueStreams = (
  accessOf: (account: AccountRef) => LiveAccess | undefined,
  platform: StreamPlatform,
): Streams => ({
  subscribe(account, topics, listener) {
    const access = accessOf(account);
    return access && openStream({ account, platform, ...access }, topics, listener);
  },
});

type StreamOpening = LiveAccess & { readonly account: AccountRef; readonly platform: StreamPlatform };
type OpenLine = ReturnType<typeof openLine>;

function openStream(opening: StreamOpening, topics: StreamTopics, listener: StreamListener): Stream {
  const { venue, link, platform } = opening;
  const dialect = DIALECTS[venue];
  const access = accessTo(opening);
  const lines = new Map<ConnectionKind, OpenLine>();
  const { idsOf, pairOf } = marketNames(dialect, link);
  const hints = mergedHints(listener.onHint, platform.after);
  const { allOrders, pass } = readingHints(hints.add, pairOf, () => (isClosed ? NO_TOPICS : followed));
  let followed = topics;
  let isClosed = false;

  function close() {
    isClosed = true;
    hints.close();
    for (const line of lines.values()) line.close();
  }

  function down(reason: string, refused: boolean) {
    if (isClosed) return;
    close();
    listener.onStatus({ state: "down", reason, ...(refused ? { refused } : {}) });
  }

  async function topicsOf(line: ConnectionKind): Promise<TopicRequest[]> {
    await idsOf(followed.orders);
    const priced = line === priceLineOf(dialect, followed) ? await idsOf(followed.prices) : [];
    return [
      ...(line === "private" ? [await dialect.fills(access)] : []),
      ...(priced.length > 0 ? dialect.prices(priced, true) : []),
    ];
  }

  function open(name: ConnectionKind) {
    const opened = openLine({
      name,
      dialect,
      access,
      platform,
      origin: streamOrigin(link, venue, name),
      topics: () => topicsOf(name),
      onReady: announce,
      onRead: (readings) => readings.forEach(pass),
      onTrouble(reason, isUnreadable) {
        link.log("debug", "stream", { exchange: link.id, reason });
        if (isUnreadable && name === "private") allOrders();
      },
      onEnd: down,
    });
    lines.set(name, opened);
  }

  function announce() {
    if (!isClosed && [...lines.values()].every((line) => line.isReady()))
      listener.onStatus({ state: "live" });
  }

  async function follow(next: StreamTopics) {
    const before = followed;
    followed = next;
    const missing = linesFor(dialect, followed).filter((line) => !lines.has(line));
    // Where one connection has both, it cannot log in afterwards.
    if (missing.length > 0 && !dialect.isSplit && lines.size > 0)
      return down("topics need another login", false);
    await idsOf(next.orders);
    const requests = await priceChanges(dialect, idsOf, { before, next });
    if (isClosed) return;
    const line = lines.get(dialect.isSplit ? "public" : ([...lines.keys()][0] ?? "public"));
    for (const request of requests) line?.add(request);
    for (const name of missing) open(name);
  }

  for (const name of linesFor(dialect, followed)) open(name);
  return {
    follow: (next) => void follow(next).catch((error: unknown) => down(String(error), false)),
    close,
  };
}

async function priceChanges(
  dialect: StreamDialect,
  idsOf: (symbols: readonly Pair[]) => Promise<string[]>,
  { before, next }: { readonly before: StreamTopics; readonly next: StreamTopics },
): Promise<TopicRequest[]> {
  const added = await idsOf(next.prices.filter((symbol) => !before.prices.includes(symbol)));
  const removed = await idsOf(before.prices.filter((symbol) => !next.prices.includes(symbol)));
  return [
    ...(added.length > 0 ? dialect.prices(added, true) : []),
    ...(removed.length > 0 ? dialect.prices(removed, false) : []),
  ];
}

/** Turns fills and prices of followed pairs into hints. */
function readingHints(
  add: (hint: Hint) => void,
  pairOf: (market: string) => Pair | undefined,
  followed: () => StreamTopics,
) {
  const allOrders = () => {
    for (const symbol of followed().orders) add({ kind: "orders", symbol });
  };
  return {
    allOrders,
    pass(reading: StreamReading): void {
      const { orders, prices } = followed();
      if (reading.kind === "fill") {
        if (reading.market === undefined) allOrders();
        const symbol = reading.market && pairOf(reading.market);
        if (symbol && orders.includes(symbol)) add({ kind: "orders", symbol });
      } else if (reading.kind === "price") {
        const symbol = pairOf(reading.market);
        const { bid, ask } = reading;
        if (symbol && prices.includes(symbol)) add({ kind: "price", symbol, bid, ask });
      }
    },
  };
}

/** Translates pairs to the stream's market ids, and those that were requested back to pairs. */
function marketNames(dialect: StreamDialect, link: ExchangeLink) {
  const markets = new Map<string, Pair>();
  async function idOf(symbol: Pair): Promise<string | undefined> {
    const market = await listedName(dialect, link, symbol);
    if (market !== undefined) markets.set(market, symbol);
    return market;
  }
  return {
    /** A pair that was delisted is left out, so the others keep their stream. */
    async idsOf(symbols: readonly Pair[]): Promise<string[]> {
      return (await Promise.all(symbols.map(idOf))).filter((id) => id !== undefined);
    },
    pairOf: (market: string): Pair | undefined => markets.get(market),
  };
}

/** Returns the market's name in streams; undefined if the exchange does not list the pair. */
async function listedName(
  { marketOf }: StreamDialect,
  { catalog }: ExchangeLink,
  symbol: Pair,
): Promise<string | undefined> {
  try {
    const market = await catalog.known(symbol);
    return marketOf?.(market) ?? String(market.id);
  } catch (error) {
    if (error instanceof VenueError && error.failure === "unlisted") return undefined;
    throw error;
  }
}

/** Returns the origin of a replaced URL: on it, Kraken's private host is a folder. */
function streamOrigin(
  { base, quirks }: ExchangeLink,
  venue: VenueName,
  line: ConnectionKind,
): string | undefined {
  if (base === `https://${quirks.host}`) return undefined;
  const origin = base.replace(/^http/, "ws").replace(/\/$/, "");
  return venue === "kraken" && line === "private" ? `${origin}/auth` : origin;
}

function accessTo({ account, link, keys }: StreamOpening): StreamAccess {
  const session = () => createSession(link, { account: accountKey(account), keys });
  return {
    now: link.clock,
    async keys() {
      const found = await keys();
      if (!found) throw noKeys(link.id);
      return found;
    },
    call: (call) => session().read("balances", undefined, call),
    isUnified: lazy(async () => {
      const own = session();
      await own.read("balances", undefined, async () => undefined);
      return own.kind() === "unified";
    }),
  };
}

/** Passes the first hint on at once, and the newest of each kind and pair after that, so a flood costs little. */
function mergedHints(emit: (hint: Hint) => void, after: (millis: Millis, run: () => void) => () => void) {
  const waiting = new Map<string, Hint>();
  const recent = new Map<string, () => void>();

  function pass(key: string, hint: Hint) {
    recent.set(
      key,
      after(MERGE_FOR, () => {
        recent.delete(key);
        const next = waiting.get(key);
        waiting.delete(key);
        if (next) pass(key, next);
      }),
    );
    emit(hint);
  }

  return {
    add(hint: Hint) {
      const key = `${hint.kind} ${hint.symbol}`;
      if (recent.has(key)) waiting.set(key, hint);
      else pass(key, hint);
    },
    close() {
      for (const stop of recent.values()) stop();
      waiting.clear();
      recent.clear();
    },
  };
}
