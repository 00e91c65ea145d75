/** The adapters of the four exchanges' streams on the emulated exchanges, over real sockets, with each fault. */
import { afterEach, describe, expect, it } from "vitest";
import { nodeSockets } from "../../../cli/host/node-runtime.ts";
import type { StreamPlatform } from "../../../src/adapters/streams/stream-connection.ts";
import { venueStreams } from "../../../src/adapters/streams/streams.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../../../src/kernel/time.ts";
import type { AccountRef } from "../../../src/model/account.ts";
import type { Hint, Stream, StreamStatus, StreamTopics } from "../../../src/ports/venue.ts";
import { lookAt } from "../../support/canary.ts";
import { adapterLink } from "../adapter.ts";
import { type EmulatedVenue, startVenue, type VenueOptions } from "../index.ts";

const NAMES = ["mexc", "gateio", "bitget", "kraken"] as const;
type Name = (typeof NAMES)[number];

const SYMBOL = "BTC/USDT";
const OTHER = "ETH/USDT";
/** No exchange lists it. */
const GONE = "GONE/USDT";

let venue: EmulatedVenue;
let streams: Stream[] = [];
/** How far the clocks are ahead of this machine's, and how long the monotonic one stood still. */
let ahead = 0;
let asleep = 0;

afterEach(async () => {
  for (const stream of streams) stream.close();
  streams = [];
  received.clear();
  timers.clear();
  ahead = asleep = 0;
  await venue.close();
});

const clock = () => Date.now() + ahead;

/** Messages and frames that each open connection has received. */
const received = new Map<object, number>();
const timers = new Set<object>();
/** Number of checks of connections that have run. */
let checks = 0;
/** How far the clocks were ahead at the last message or frame of the exchange. */
let heardAhead = 0;

const counted = (start: (run: () => void) => () => void, run: () => void, isOnce: boolean) => {
  const timer = {};
  timers.add(timer);
  const stop = start(() => {
    if (isOnce) timers.delete(timer);
    run();
  });
  return () => {
    timers.delete(timer);
    stop();
  };
};

/** Time that can be set forward; the checks of a connection run more often for it. */
const platform: StreamPlatform = {
  async open(url, events) {
    const counting = (event: (...args: never[]) => void) =>
      ((...args: never[]) => {
        received.set(events, (received.get(events) ?? 0) + 1);
        heardAhead = ahead;
        event(...args);
      }) as never;
    const { message, alive } = events;
    const socket = await nodeSockets.open(url, {
      ...events,
      message: counting(message),
      alive: counting(alive),
    });
    received.set(events, 0);
    return {
      send: socket.send,
      close() {
        received.delete(events);
        socket.close();
      },
    };
  },
  monotonic: () => clock() - asleep,
  every(_millis, run) {
    const check = () => {
      run();
      checks++;
    };
    return counted((each) => nodeSockets.every(5, each), check, false);
  },
  after: (millis, run) => counted((once) => nodeSockets.after(millis, once), run, true),
};

/** Lets time pass in steps, each until every connection has heard from the exchange. */
async function pass(span: Millis, step: Millis) {
  for (let passed = 0; passed < span; passed += step) {
    for (const one of received.keys()) received.set(one, 0);
    ahead += step;
    await expect.poll(() => [...received.values()].every((count) => count > 0), { interval: 2 }).toBe(true);
  }
}

const start = async (name: Name, options: VenueOptions = {}) => {
  venue = await startVenue(name, { clock, ...options });
};

const TOPICS: StreamTopics = { orders: [SYMBOL], prices: [SYMBOL] };

function subscribe(name: Name, topics = TOPICS) {
  const hints: Hint[] = [];
  const statuses: StreamStatus[] = [];
  const link = adapterLink({ name, url: venue.url }, clock);
  const account: AccountRef = { exchange: name, kind: "live", host: link.host };
  const stream = venueStreams(
    () => ({ venue: name, link, keys: async () => ({ ...venue.keys, hash: "" }) }),
    platform,
  ).subscribe(account, topics, {
    onHint: (hint) => hints.push(hint),
    onStatus: (status) => {
      lookAt("a stream's status", status);
      statuses.push(status);
    },
  });
  if (!stream) throw new Error("no stream");
  streams.push(stream);
  return {
    stream,
    hints,
    statuses,
    orders: () => hints.filter(({ kind }) => kind === "orders"),
    prices: () => hints.flatMap((hint) => (hint.kind === "price" ? [hint] : [])),
    live: () => expect.poll(() => statuses.at(-1), { interval: 5 }).toEqual({ state: "live" }),
    down: (reason: RegExp) =>
      expect
        .poll(() => statuses.at(-1), { interval: 5 })
        .toMatchObject({ state: "down", reason: expect.stringMatching(reason) }),
  };
}

const rest = (symbol: Pair, amount = "0.01") =>
  venue.own({ symbol, side: "buy", price: symbol.startsWith("BTC") ? "50000" : "2000", amount });

const orderHint = (symbol: string) => ({ kind: "orders", symbol });

describe.each(NAMES)("the streams of %s", (name) => {
  it("give hints for listed pairs beside one that is delisted", async () => {
    await start(name);
    const order = rest(SYMBOL);
    const { stream, orders, statuses, live } = subscribe(name, { orders: [SYMBOL, GONE], prices: [GONE] });
    await live();
    venue.fill(order.id, "0.004");
    await expect.poll(orders).toEqual([orderHint(SYMBOL)]);
    stream.follow({ orders: [SYMBOL, GONE], prices: [SYMBOL, GONE] });
    stream.follow({ orders: [SYMBOL], prices: [SYMBOL] });
    venue.fill(order.id, "0.006");
    await expect.poll(orders).toHaveLength(2);
    expect(statuses).toEqual([{ state: "live" }]);
  });

  it("give a hint for a partial fill, the rest of it, and each best price", async () => {
    await start(name);
    const order = rest(SYMBOL);
    const { orders, prices, live } = subscribe(name);
    await live();
    venue.fill(order.id, "0.004");
    await expect.poll(orders).toEqual([orderHint(SYMBOL)]);
    await expect.poll(() => prices().length).toBeGreaterThan(0);
    venue.move(SYMBOL, "61234");
    await expect.poll(() => prices().at(-1)).toMatchObject({ symbol: SYMBOL });
    await expect
      .poll(() => {
        const { bid = 0n, ask = 0n } = prices().at(-1) ?? {};
        return [bid <= 61234n * 10n ** 18n, ask >= 61234n * 10n ** 18n, bid < ask, bid > 61000n * 10n ** 18n];
      })
      .toEqual([true, true, true, true]);
    const before = orders().length;
    venue.fill(order.id);
    await expect.poll(() => orders().length).toBeGreaterThan(before);
  });

  it("give no hint for placing and canceling", async () => {
    await start(name);
    const { orders, live } = subscribe(name, { orders: [SYMBOL, OTHER], prices: [] });
    await live();
    rest(SYMBOL);
    venue.engine.cancel(venue.account, rest(SYMBOL).id);
    // Messages keep their order, so a hint for the first pair would come before this one.
    venue.fill(rest(OTHER, "0.1").id);
    await expect.poll(orders).toEqual([orderHint(OTHER)]);
  });

  it("follow other topics without another connection", async () => {
    await start(name);

    const { stream, prices, orders, live } = subscribe(name);
    await live();
    const connections = venue.stream.opened();
    stream.follow({ orders: [OTHER], prices: [OTHER] });
    await expect.poll(() => prices().some(({ symbol: one }) => one === OTHER)).toBe(true);
    await expect
      .poll(() => venue.stream.sessions().some(({ topics }) => topics.has(`price ${SYMBOL}`)))
      .toBe(false);
    venue.fill(rest(SYMBOL).id);
    venue.fill(rest(OTHER, "0.1").id);
    await expect.poll(orders).toEqual([orderHint(OTHER)]);
    expect(venue.stream.opened()).toBe(connections);
  });

  it("stay live while they are quiet for half an hour", async () => {
    await start(name);
    const { statuses, orders, live } = subscribe(name);
    await live();
    await pass(30 * MINUTE, name === "kraken" ? 5 * SECOND : 10 * SECOND);
    expect(statuses).toEqual([{ state: "live" }]);
    venue.fill(rest(SYMBOL).id);
    await expect.poll(orders).toEqual([orderHint(SYMBOL)]);
  });

  it("are down at once when the exchange closes them, or the connection breaks", async () => {
    await start(name);
    const first = subscribe(name);
    await first.live();
    venue.stream.drop(1001);
    await first.down(/closed by the exchange \(1001\)/);
    const second = subscribe(name);
    await second.live();
    venue.stream.drop();
    await second.down(/closed|connection/);
    expect(second.statuses.filter(({ state }) => state === "down")).toHaveLength(1);
  });

  it("are down after 24 hours, when the exchange ends each connection", async () => {
    await start(name);
    const { live, statuses, down } = subscribe(name);
    await live();
    // The emulated exchange's clock alone: nothing else may end it.
    venue.skew(DAY);
    await down(/closed by the exchange/);
    expect(statuses).toHaveLength(2);
  });

  it("are down when nothing arrives although the connection is open", async () => {
    await start(name);
    const { live, down } = subscribe(name);
    await live();
    venue.stream.silent = true;
    ahead += MINUTE;
    await down(/silent for \d+ s/);
  });

  it("are down after a sleep of the machine, in which its monotonic clock stood still", async () => {
    await start(name);
    const { live, down } = subscribe(name);
    await live();
    venue.stream.silent = true;
    ahead += HOUR;
    asleep += HOUR;
    await down(/asleep/);
  });

  it("are down when nothing answers their own pings, which are no sign of life", async () => {
    await start(name);
    const { live, statuses } = subscribe(name);
    await live();
    // On kraken, whose silence is as long as pings are apart, one of them falls into it only if the last message comes between two.
    const step = name === "kraken" ? 5 * SECOND : 10 * SECOND;
    await pass(step, step);
    venue.stream.silent = true;
    const isDown = () => statuses.at(-1)?.state === "down";
    for (let passed = 0; passed < 3 * MINUTE && !isDown(); passed += 5 * SECOND) {
      const before = checks;
      ahead += 5 * SECOND;
      await expect.poll(() => isDown() || checks > before + 1, { interval: 2 }).toBe(true);
    }
    expect(statuses.at(-1)).toMatchObject({ state: "down", reason: expect.stringMatching(/silent/) });
    expect(ahead - heardAhead).toBeLessThanOrEqual(name === "kraken" ? 10 * SECOND : 25 * SECOND);
  });

  it("are down without confirmations", async () => {
    await start(name);
    venue.stream.mute = true;
    const { statuses, down } = subscribe(name);
    await expect
      .poll(() =>
        venue.stream
          .sessions()
          .some(({ topics, member }) => topics.has("fills") || (name === "bitget" && member)),
      )
      .toBe(true);
    ahead += MINUTE;
    await down(/not connected within|silent|closed/);
    expect(statuses).toHaveLength(1);
  });

  it("are down while the exchange refuses connections, and live afterwards", async () => {
    await start(name);
    venue.stream.refuse(2);
    const first = subscribe(name);
    await first.down(/503/);
    venue.stream.refuse(0);
    await subscribe(name).live();
  });

  it("report refused keys, without them", async () => {
    await start(name);
    venue.revokeKeys(venue.keys.key);
    const { statuses, down } = subscribe(name);
    await down(/./);
    expect(statuses).toEqual([expect.objectContaining({ refused: true })]);
  });

  it("do not blame the keys for a wrong clock", async () => {
    await start(name);
    venue.skew(-10 * MINUTE);
    const { statuses } = subscribe(name);
    await expect.poll(() => statuses.length).toBeGreaterThan(0);
    expect(statuses).not.toEqual([expect.objectContaining({ refused: true })]);
  });

  it("need no keys for prices alone", async () => {
    await start(name);
    venue.revokeKeys(venue.keys.key);
    const { live, prices } = subscribe(name, { orders: [], prices: [SYMBOL] });
    await live();
    await expect.poll(() => prices().length).toBeGreaterThan(0);
  });

  it("pass on doubled and swapped messages, and messages long after the REST API", async () => {
    await start(name);
    const { orders, live } = subscribe(name);
    await live();
    Object.assign(venue.stream, { doubled: true, swapped: true, delay: 30 });
    const order = rest(SYMBOL);
    venue.fill(order.id, "0.004");
    venue.fill(order.id);
    venue.fill(rest(SYMBOL).id);
    await expect.poll(() => orders().length).toBeGreaterThan(0);
    expect(new Set(orders().map(({ symbol: one }) => one))).toEqual(new Set([SYMBOL]));
  });

  it("give the hint before the REST API shows the fill", async () => {
    await start(name);
    const { orders, live } = subscribe(name);
    await live();
    venue.late({ orders: MINUTE, trades: MINUTE });
    venue.fill(rest(SYMBOL).id);
    await expect.poll(orders).toEqual([orderHint(SYMBOL)]);
  });

  it("give the next hint after a lost message", async () => {
    await start(name);
    const { orders, live } = subscribe(name);
    await live();
    const order = rest(SYMBOL);
    venue.stream.lose(1);
    venue.fill(order.id, "0.004");
    venue.fill(order.id);
    await expect.poll(orders).toEqual([orderHint(SYMBOL)]);
  });

  it("survive broken messages, and give a hint for them", async () => {
    await start(name);
    const { orders, statuses, live } = subscribe(name);
    await live();
    const order = rest(SYMBOL);
    venue.stream.garble(1);
    venue.fill(order.id);
    await expect.poll(() => orders().length).toBeGreaterThan(0);
    expect(statuses).toEqual([{ state: "live" }]);
  });

  it("merge a flood of a thousand messages, and keep the newest price", async () => {
    await start(name);
    const { prices, orders, live } = subscribe(name);
    await live();
    await expect.poll(() => prices().length).toBeGreaterThan(0);
    venue.stream.flood(SYMBOL, 1000);
    venue.move(SYMBOL, "58000");
    venue.fill(rest(SYMBOL).id);
    await expect.poll(orders).toEqual([orderHint(SYMBOL)]);
    await expect.poll(() => (prices().at(-1)?.bid ?? 0n) < 58_001n * 10n ** 18n).toBe(true);
    expect(prices().length).toBeLessThan(500);
  });

  it("merge the hints of each pair alone", async () => {
    await start(name);
    const { orders, live } = subscribe(name, { orders: [SYMBOL, OTHER], prices: [] });
    await live();
    const resting = ([SYMBOL, OTHER, SYMBOL] as const).map((symbol) =>
      rest(symbol, symbol === OTHER ? "0.1" : "0.01"),
    );
    // The first hint of a pair is passed on at once, and the next ones wait: those of another pair do not replace them.
    for (const { id } of resting) venue.fill(id);
    await expect.poll(() => orders().map(({ symbol }) => symbol)).toContain(OTHER);
  });

  it("hold nothing of fifty connections that have ended", async () => {
    await start(name);
    for (let round = 0; round < 50; round++) {
      const { stream, live } = subscribe(name, { orders: [SYMBOL], prices: [] });
      await live();
      stream.close();
      venue.rest();
      await expect.poll(() => venue.stream.sessions().length, { interval: 2 }).toBe(0);
    }
    expect([received.size, timers.size]).toEqual([0, 0]);
    const { orders, live } = subscribe(name);
    await live();
    venue.fill(rest(SYMBOL).id);
    await expect.poll(orders).toEqual([orderHint(SYMBOL)]);
  });
});

describe("the streams of mexc", () => {
  it("extend the listen key before its hour ends", async () => {
    await start("mexc");
    const { statuses, live, orders } = subscribe("mexc");
    await live();
    await pass(2 * HOUR + 5 * MINUTE, 10 * SECOND);
    // One call creates the key. A call that a step of time overtakes is rejected as too old, and made again.
    await expect.poll(() => venue.count("streamKey")).toBeGreaterThanOrEqual(7);
    expect(statuses).toEqual([{ state: "live" }]);
    venue.fill(rest(SYMBOL).id);
    await expect.poll(orders).toEqual([orderHint(SYMBOL)]);
  });

  it("extend it again when the call fails", async () => {
    await start("mexc");
    const { statuses, live } = subscribe("mexc");
    await live();
    venue.fail({ kind: "server_error", route: "streamKey", times: 2 });
    await pass(70 * MINUTE, 10 * SECOND);
    expect(statuses).toEqual([{ state: "live" }]);
  });
});

describe("the streams of bitget", () => {
  it("use the unified account's topics", async () => {
    await start("bitget", { unified: true });
    const { orders, live } = subscribe("bitget");
    await live();
    expect(
      venue.stream
        .sessions()
        .map(({ path }) => path)
        .sort(),
    ).toEqual(["/v2/ws/public", "/v3/ws/private"]);
    venue.fill(rest(SYMBOL).id);
    await expect.poll(orders).toEqual([orderHint(SYMBOL)]);
  });
});

describe("the streams of kraken", () => {
  it("name a pair as the exchange does, where ccxt names it otherwise", async () => {
    await start("kraken");
    const symbol = "LUNA/USDT";
    const { statuses, orders, prices, live } = subscribe("kraken", { orders: [symbol], prices: [symbol] });
    await live();
    await expect.poll(() => prices()[0]).toMatchObject({ symbol });
    venue.fill(venue.own({ symbol, side: "buy", price: "0.1", amount: "100" }).id);
    await expect.poll(orders).toEqual([orderHint(symbol)]);
    expect(statuses).toEqual([{ state: "live" }]);
  });
});

it("an exchange closes a client that reads nothing", async () => {
  await start("gateio");
  const { live, down } = subscribe("gateio");
  await live();
  const { WebSocket } = await import("ws");
  const slow = new WebSocket(`${venue.url.replace("http", "ws")}/ws/v4/`);
  await new Promise((opened) => slow.on("open", opened));
  slow.send(JSON.stringify({ channel: "spot.book_ticker", event: "subscribe", payload: ["BTC_USDT"] }));
  slow.pause();
  const sessions = () => venue.stream.sessions().length;
  await expect.poll(sessions).toBe(2);
  await expect
    .poll(() => {
      venue.stream.flood("BTC/USDT", 2000);
      return sessions();
    })
    .toBe(1);
  slow.terminate();
  venue.stream.drop();
  await down(/closed/);
});
