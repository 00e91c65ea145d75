import { expect, it, onTestFinished } from "vitest";
import { checkKeys } from "../../../src/adapters/ccxt/account/reading.ts";
import { decimal } from "../../../src/kernel/decimal.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../../../src/kernel/time.ts";
import type { VenueName } from "../../../src/model/market.ts";
import type { NewOrder } from "../../../src/model/order.ts";
import type { Venue } from "../../../src/ports/venue.ts";
import { heardVenue } from "../../support/heard.ts";
import { KEYS, PERMIT } from "../../support/live.ts";
import { type Recorded, recording } from "../../support/recording.ts";
import { adapterLink, adapterVenue } from "../../venues/adapter.ts";
import { startVenue } from "../../venues/index.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const PAIR = "BTC/USDT";
const OURS = "em1a2b3c4d5e6f7g8h";

const order = (clientId: string, over: Partial<NewOrder> = {}): NewOrder => ({
  clientId,
  symbol: PAIR,
  side: "buy",
  type: "limit",
  price: decimal("59000"),
  amount: decimal("0.001"),
  ...over,
});

/** The beginning and the end of a pass, and the wait for it. */
type Bounds = "enter" | "leave" | "wait";

/** Calls of a venue that ask an exchange; one that is new has to be added here. */
type Asking = {
  [K in Exclude<keyof Venue, Bounds>]-?: NonNullable<Venue[K]> extends (...args: never[]) => Promise<unknown>
    ? K
    : never;
}[Exclude<keyof Venue, Bounds>];

type Ways = Readonly<Record<string, (venue: Venue, id: string) => Promise<unknown>>>;

/** Each call in every way in which its requests differ, in an order in which each finds what it needs. */
const CALLS: { readonly [K in Asking]: Ways } = {
  listed: {
    "of a pair, the first one: loads the markets": (venue) => venue.listed?.(PAIR) ?? Promise.reject(),
  },
  market: { "of a pair: asks for the account's fees": (venue) => venue.market(PAIR) },
  ticker: { "of a pair": (venue) => venue.ticker(PAIR) },
  book: { "of a pair": (venue) => venue.book(PAIR, 10) },
  trades: { "of a pair": (venue) => venue.trades(PAIR, 50) },
  candles: {
    "the latest": (venue) => venue.candles(PAIR, { span: MINUTE, limit: 100 }),
    "since yesterday": (venue) => venue.candles(PAIR, { span: HOUR, limit: 24, since: NOW - DAY }),
  },
  balances: { all: (venue) => venue.balances() },
  create: {
    "a limit buy": (venue) => venue.create(order(OURS), PERMIT),
    "a limit sell": (venue) =>
      venue.create(order("em1b00000000000000", { side: "sell", price: decimal("61000") }), PERMIT),
    "what takes at once or not at all": (venue) =>
      venue.create(order("em1c00000000000000", { price: decimal("60600"), timeInForce: "ioc" }), PERMIT),
    "what rests or is refused": (venue) =>
      venue.create(
        order("em1f00000000000000", { price: decimal("58000"), timeInForce: "post_only" }),
        PERMIT,
      ),
    "a market buy": (venue) => venue.create(order("em1d00000000000000", { type: "market" }), PERMIT),
    "a market sell": (venue) =>
      venue.create(order("em1e00000000000000", { type: "market", side: "sell" }), PERMIT),
  },
  openOrders: {
    "of a pair": (venue) => venue.openOrders(PAIR),
    "of a pair, in a pass": async (venue) => {
      const pass = venue.under?.({ now: NOW }, { requestedAt: NOW, isUrgent: false, yieldsAfter: undefined });
      return [await pass?.openOrders(PAIR), await pass?.openOrders("ETH/USDT")];
    },
    "of all pairs": (venue) => venue.openOrders(),
  },
  endedOrders: {
    "the first page": (venue) => venue.endedOrders?.(PAIR, NOW - DAY) ?? Promise.reject(),
    "another page": (venue) => venue.endedOrders?.(PAIR, NOW - DAY, "1") ?? Promise.reject(),
  },
  order: {
    "by the exchange's id": (venue, id) => venue.order({ symbol: PAIR, id }),
    "by our id": (venue) => venue.order({ symbol: PAIR, clientId: OURS }),
    "by an id that nobody knows": (venue) => venue.order({ symbol: PAIR, clientId: "em1neverexisted000" }),
  },
  orders: {
    "by the exchange's ids": (venue, id) => venue.orders?.(PAIR, [id, id]) ?? Promise.resolve([]),
  },
  fills: {
    "of the last hour": (venue) => venue.fills(PAIR, { from: NOW - HOUR }),
    "of eight days": (venue) => venue.fills(PAIR, { from: NOW - 8 * DAY }),
    "of half an hour a day ago": (venue) => venue.fills(PAIR, { from: NOW - DAY, to: NOW - DAY + HOUR / 2 }),
  },
  fillsOf: {
    "of an order": async (venue) => {
      const { fills } = await venue.fills(PAIR, { from: NOW - HOUR });
      return venue.fillsOf(PAIR, [fills[0]?.orderId ?? ""], NOW - DAY);
    },
  },
  cancel: { "by the exchange's id": (venue, id) => venue.cancel({ symbol: PAIR, id }, PERMIT) },
};

const TABLES: readonly (readonly [string, VenueName])[] = [
  ["mexc", "mexc"],
  ["gateio", "gateio"],
  ["gateio-unified", "gateio"],
  ["bitget", "bitget"],
  ["bitget-unified", "bitget"],
  ["kraken", "kraken"],
];

/** What every client sends, whatever it asks. */
const DEFAULT_HEADERS =
  /^(host|connection|content-length|accept.*|user-agent|sec-fetch-mode|transfer-encoding)$/;

const NEAR = 400 * DAY;

const bodyOf = (body: string): [string, unknown][] =>
  body.startsWith("{") || body.startsWith("[")
    ? Object.entries(JSON.parse(body))
    : [...new URLSearchParams(body)];

const fields = (all: readonly (readonly [string, unknown])[], run: Run): string =>
  all
    .map(([name, value]) => `${name}=${plain(name, value, run)}`)
    .sort()
    .join(" ");

it.each(TABLES)(
  "ccxt sends %s the requests of the table (npm run requests rewrites it)",
  async (table, name) => {
    await holdTable(table, name);
  },
);

/** Checks the requests of every call against the table. */
async function holdTable(table: string, name: VenueName): Promise<void> {
  const clock = () => NOW;
  const exchange = await startVenue(name, { keys: KEYS, clock, unified: table !== name });
  const { url, take, close } = await recording(exchange.url);
  onTestFinished(async () => {
    close();
    await exchange.close();
  });
  const connection = { name, url, keys: KEYS };
  const place = adapterLink(connection, clock);
  const names = new Map([
    [KEYS.key, "{key}"],
    [KEYS.passphrase, "{passphrase}"],
  ]);
  const lines: string[] = [];
  const write = (title: string) => {
    for (const { id } of exchange.orders()) names.set(id, "{order}");
    const requests = take().map((one) => tell(one, { now: NOW, names }));
    lines.push([title, ...requests].join("\n"));
  };

  for (const [call, ways] of Object.entries(CALLS)) {
    for (const [way, act] of Object.entries(ways)) {
      const venue = heardVenue(adapterVenue(place, connection));
      exchange.rest();
      const outcome = await act(venue, exchange.open()[0]?.id ?? "");
      if (call === "create" || call === "cancel") expect(outcome, way).toMatchObject({ result: "accepted" });
      write(`${call}: ${way}`);
    }
  }
  await checkKeys(place, adapterVenue(place, connection).account, { ...KEYS, hash: "" });
  write("checkKeys: what they open and what they may do");

  await expect(`${lines.join("\n\n")}\n`).toMatchFileSnapshot(`requests/${table}.txt`);
}

/** Requests as a person reads them: parameters in order, and in place of what no two runs have alike, what it is. */
interface Run {
  readonly now: Millis;
  /** Texts that are made anew in each run, and their names: keys, ids that the exchange gave. */
  readonly names: ReadonlyMap<string, string>;
}

/** `GET /path`, and below it what the query, the body and the headers carry. */
function tell({ method, path, headers, body }: Recorded, run: Run): string {
  const { pathname, searchParams } = new URL(path, "http://exchange");
  const own = Object.entries(headers).filter(([name]) => !DEFAULT_HEADERS.test(name));
  const lines = [
    ["query", fields([...searchParams], run)],
    [body.startsWith("{") || body.startsWith("[") ? "json" : "form", fields(bodyOf(body), run)],
    [
      "headers",
      fields(
        own.map(([name, value]): [string, unknown] => [name, String(value)]),
        run,
      ),
    ],
  ].filter(([, output]) => output !== "");
  const named = pathname.split("/").map((part) => run.names.get(part) ?? part);
  return [`  ${method} ${named.join("/")}`, ...lines.map(([what, output]) => `    ${what}: ${output}`)].join(
    "\n",
  );
}

function plain(name: string, value: unknown, run: Run): string {
  if (typeof value === "object" && value !== null) {
    const parts = Object.entries(value).map(([key, part]) => `${key}=${plain(key, part, run)}`);
    return `(${parts.join(" ")})`;
  }
  const text = String(value);
  if (/sign/i.test(name)) return "{signature}";
  if (name === "nonce") return "{nonce}";
  return run.names.get(text) ?? timeOf(text, run.now) ?? text;
}

/** Times as what they are from now, in the unit in which they are sent. */
function timeOf(text: string, now: Millis): string | undefined {
  const [at, unit] = /^\d{13}$/.test(text)
    ? [Number(text), "ms"]
    : /^\d{10}(\.\d+)?$/.test(text)
      ? [Number(text) * SECOND, "s"]
      : /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)
        ? [Date.parse(text), "iso"]
        : [Number.NaN, ""];
  const off = Math.round((at - now) / SECOND);
  if (!(Math.abs(at - now) < NEAR)) return undefined;
  return `{now${off === 0 ? "" : `${off > 0 ? "+" : ""}${off}s`} ${unit}}`;
}
