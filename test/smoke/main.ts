/**
 * For a person with network: what the real exchanges answer. Public calls on all configured ones; where keys are set
 * (<ID>_API_KEY, <ID>_SECRET, <ID>_PASSPHRASE) also what the account shows of how the exchange behaves, a line each.
 * Nothing but reads, unless `--trade` is given: then also small orders, placed, looked up by their client ids and
 * cancelled. `--look ID` only looks, to see how long an exchange keeps a client id.
 * EDGEMAKER_EXCHANGES and EDGEMAKER_VENUE_URLS choose exchanges and their test environments.
 */
import { createClient } from "@libsql/client";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { bitget } from "../../src/adapters/ccxt/exchanges/bitget.ts";
import { gateio } from "../../src/adapters/ccxt/exchanges/gateio.ts";
import { kraken } from "../../src/adapters/ccxt/exchanges/kraken.ts";
import { mexc } from "../../src/adapters/ccxt/exchanges/mexc.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { createDeps } from "../../src/compose/deps.ts";
import { div, max, mul, ONE, roundToStep, text } from "../../src/kernel/decimal.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { manualOrderId } from "../../src/kernel/ids.ts";
import { isPair, type Pair } from "../../src/kernel/pair.ts";
import { HOUR } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import type { NewOrder } from "../../src/model/order.ts";
import type { Permit, Venue, VenueOrder } from "../../src/ports/venue.ts";
import type { Local } from "../../src/ports/within-time.ts";
import { migrations } from "../support/migrations.ts";
import { BEHAVIOURS } from "./behaviours.ts";
import { type Asking, askingOf, type Behaviour, type Keys, tell } from "./requests.ts";

const HOSTS = { mexc: mexc.host, gateio: gateio.host, bitget: bitget.host, kraken: kraken.host };

const flag = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};

const symbol = flag("--symbol") ?? "BTC/USDT";
if (!isPair(symbol)) throw new Error("--symbol must be a pair, for example BTC/USDT");
const pair: Pair = symbol;
const look = flag("--look");
const trades = process.argv.includes("--trade");

const config = parseConfig(process.env);
const deps = await createDeps(config, {
  client: createClient({ url: "file::memory:", concurrency: 1 }),
  migrations,
  local: nodeLocal,
  log: (level, message, fields) => console.log(`  ${level}: ${message}`, JSON.stringify(fields ?? {})),
  readCandles: () => Promise.reject(new Error("there are no candle files here")),
});

async function tellBehaviours(name: VenueName, id: string, keys: Keys): Promise<void> {
  const url = config.venueUrls.get(id) ?? `https://${HOSTS[name]}`;
  const asking = await askingOf(name, { url, keys, symbol: pair });
  await tell(BEHAVIOURS[name], asking, keys);
  if (trades)
    await tell(
      tradeBehaviours(name, () => manualOrderId(nodeLocal.randomText(15))),
      asking,
      keys,
    );
}

let failures = 0;

const codeIn = (error: unknown): string =>
  /"(?:label|code)":\s*"?([\w-]+)|"(E[A-Z]\w+:[^"]+)"/.exec(String(error))?.slice(1).find(Boolean) ??
  "no code";

const cancel = ({ client, symbol }: Asking, id: string): Promise<unknown> =>
  client.cancelOrder(id, symbol).catch(() => undefined);

/** How it is asked for; gate's is an error unless the account has joined a group. */
const PREVENTION: Record<VenueName, object> = {
  mexc: { stpMode: "cancel_taker" },
  gateio: { stp_act: "cn" },
  bitget: { stpMode: "cancel_taker" },
  kraken: { stptype: "cancel-newest" },
};

export const tradeBehaviours = (name: VenueName, newId: () => string): readonly Behaviour[] => [
  {
    what: "a post-only order that would take does not",
    async ask(asking) {
      const { amount, taking } = await smallOf(asking);
      return place(asking, amount, taking, { postOnly: true, clientOrderId: newId() }).then(
        async (id) => {
          const { status, filled } = await asking.client.fetchOrder(id, asking.symbol);
          await cancel(asking, id);
          const isGone = status === "canceled" && Number(filled) === 0;
          return isGone ? "yes (cancelled at once)" : `no: it is ${status}, and ${filled} of it filled`;
        },
        (error: unknown) => `yes (${codeIn(error)})`,
      );
    },
  },
  {
    what: "a second order with the client id of an open one is refused",
    async ask(asking) {
      const { amount, far } = await smallOf(asking);
      const clientOrderId = newId();
      const first = await place(asking, amount, far, { clientOrderId });
      const second = await place(asking, amount, far, { clientOrderId }).catch((error: unknown) => ({
        error,
      }));
      await cancel(asking, first);
      if (typeof second === "string") await cancel(asking, second);
      return typeof second === "string" ? "no, both were taken" : `yes (${codeIn(second.error)})`;
    },
  },
  {
    what: "an order may ask for self-trade prevention",
    async ask(asking) {
      const { amount, far } = await smallOf(asking);
      const params = { clientOrderId: newId(), ...PREVENTION[name] };
      return place(asking, amount, far, params).then(
        async (id) => {
          await cancel(asking, id);
          return "yes";
        },
        (error: unknown) => `no (${codeIn(error)})`,
      );
    },
  },
];

const PERMIT: Permit = { mayLeave: () => true, sendBy: Number.MAX_SAFE_INTEGER };
/** How long we look for what should show. */
const PATIENCE = 30_000;

export const lookLater = (venue: Venue, symbol: Pair, clientId: string): Promise<VenueOrder | undefined> =>
  timed(
    `look for ${clientId}`,
    () => venue.order({ symbol, clientId }),
    (found) => (found ? `${found.status}, id ${found.id}` : "not known any more"),
  );

for (const { id, venue: kind, configured } of deps.exchanges) {
  console.log(`\n${id}`);
  const venue = deps.venue(id);
  try {
    if (look) await lookLater(venue, symbol, look);
    else {
      await askPublic(venue, symbol);
      if (configured) {
        // Before our own calls, whose nonces may run ahead of the clock.
        const keys = config.exchanges.find((one) => one.id === id)?.keys;
        if (keys) await tellBehaviours(kind as VenueName, id, { ...keys, passphrase: keys.passphrase ?? "" });
        const checked = await deps.live?.venues.checkKeys(id);
        console.log(
          `  keys: accepted, ${checked?.assets} assets, may withdraw: ${checked?.mayWithdraw ?? "not told"}`,
        );
        if (trades) await tryOrder(venue, symbol, nodeLocal);
        else console.log("  nothing was traded; --trade also places small orders and cancels them");
      } else console.log("  no keys are set, so nothing private is asked");
    }
  } catch (error) {
    failures++;
    console.log(`  FAILED: ${messageOf(error)}`);
  }
}
deps.close();
process.exit(failures === 0 ? 0 : 1);

/** Runs a call, and prints how long it took and what it told. */
export async function timed<T>(name: string, call: () => Promise<T>, tell: (found: T) => string): Promise<T> {
  const startedAt = performance.now();
  const found = await call();
  console.log(`  ${name} (${Math.round(performance.now() - startedAt)} ms): ${tell(found)}`);
  return found;
}

export async function askPublic(venue: Venue, symbol: Pair): Promise<void> {
  await timed(
    "market",
    () => venue.market(symbol),
    ({ tick, lot, minAmount, minNotional, active, maker, taker }) =>
      `tick ${text(tick)}, lot ${text(lot)}, least ${text(minAmount)} and ${text(minNotional)}, fees ${text(maker)}/${text(taker)}${active ? "" : ", NOT ACTIVE"}`,
  );
  await timed(
    "ticker",
    () => venue.ticker(symbol),
    ({ bid, ask, last, at }) =>
      `${text(bid)} / ${text(ask)}, last ${last === null ? "unknown" : text(last)}, ${Date.now() - at} ms old`,
  );
  await timed(
    "book",
    () => venue.book(symbol, 100),
    ({ bids, asks, at }) => `${bids.length} bids, ${asks.length} asks, ${Date.now() - at} ms old`,
  );
  await timed(
    "trades",
    () => venue.trades(symbol, 500),
    (trades) =>
      `${trades.length}, ${new Set(trades.map(({ id }) => id)).size} different ids, newest ${Date.now() - (trades[0]?.at ?? 0)} ms old`,
  );
  await timed(
    "candles",
    () => venue.candles(symbol, { span: HOUR, limit: 100 }),
    (candles) => `${candles.length}, the last began ${new Date(candles.at(-1)?.at ?? 0).toISOString()}`,
  );
}

/** What only an order shows: a buy at half the price, and a post-only one that would take. Each is cancelled. */
interface Small {
  readonly amount: number;
  readonly far: number;
  readonly taking: number;
}

/** As small as the market takes it, with a tenth to spare. */
async function smallOf({ client, symbol }: Asking): Promise<Small> {
  // bitget has its public prices under two roofs; either will do.
  const { bid, ask } = await client.fetchTicker(symbol, client.id === "bitget" ? { uta: false } : {});
  const { limits } = client.market(symbol);
  const far = Number(client.priceToPrecision(symbol, Number(bid) / 2));
  const least = Math.max(Number(limits.amount?.min ?? 0), (1.1 * Number(limits.cost?.min ?? 0)) / far);
  const lot = Number(client.market(symbol).precision.amount);
  const amount = Number(client.amountToPrecision(symbol, Math.ceil(least / lot + 1) * lot));
  return { amount, far, taking: Number(client.priceToPrecision(symbol, 1.01 * Number(ask))) };
}

async function place(
  { client, symbol }: Asking,
  amount: number,
  price: number,
  params: object,
): Promise<string> {
  const { id } = await client.createOrder(symbol, "limit", "buy", amount, price, params);
  return String(id);
}

/** A buy at half the price, as small as the market takes it: placed, found, cancelled. */
export async function tryOrder(venue: Venue, symbol: Pair, local: Local): Promise<void> {
  const order = await farOrder(venue, symbol, manualOrderId(local.randomText(15)));
  const { clientId, price, amount } = order;
  const outcome = await timed(
    `create ${clientId}, ${text(amount)} at ${text(price)}`,
    () => venue.create(order, PERMIT),
    (found) => JSON.stringify(found),
  );
  if (outcome.result !== "accepted") return;
  try {
    await untilShown("shown by client id", () => venue.order({ symbol, clientId }), local);
    await untilShown(
      "shown on the open list",
      async () => (await venue.openOrders(symbol)).find(({ id }) => id === outcome.id),
      local,
    );
  } finally {
    const key = { symbol, id: outcome.id };
    await timed(
      "cancel",
      () => venue.cancel(key, PERMIT),
      (found) => found.result,
    );
    await timed(
      "cancel again",
      () => venue.cancel(key, PERMIT),
      (found) => JSON.stringify(found),
    );
  }
  const isEnded = (found: VenueOrder | undefined) => (found?.status === "canceled" ? found : undefined);
  await untilShown(
    "cancelled by client id",
    async () => isEnded(await venue.order({ symbol, clientId })),
    local,
  );
  console.log(
    `  later, to see how long the client id is kept: npm run smoke:live -- --look ${clientId} --symbol ${symbol}`,
  );
}

async function farOrder(venue: Venue, symbol: Pair, clientId: string): Promise<NewOrder> {
  const [{ tick, lot, minAmount, minNotional }, { bid }] = [
    await venue.market(symbol),
    await venue.ticker(symbol),
  ];
  const price = roundToStep(bid / 2n, tick, "down");
  const least = max(max(minAmount, lot), div(mul(minNotional, (ONE * 11n) / 10n, "up"), price, "up"));
  return { clientId, symbol, side: "buy", type: "limit", price, amount: roundToStep(least, lot, "up") };
}

async function untilShown(
  name: string,
  look: () => Promise<VenueOrder | undefined>,
  local: Local,
): Promise<void> {
  const startedAt = local.monotonic();
  for (let looks = 1; ; looks++) {
    const found = await look();
    const after = Math.round(local.monotonic() - startedAt);
    if (found || after > PATIENCE) {
      console.log(`  ${name}: ${found ? found.status : "NOT SEEN"} after ${after} ms and ${looks} looks`);
      return;
    }
    await local.sleep(200);
  }
}
