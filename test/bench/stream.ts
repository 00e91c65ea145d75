import { nodeSockets } from "../../cli/host/node-runtime.ts";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { startStreams } from "../../cli/host/server-parts.ts";
import { startTimer } from "../../cli/host/timer.ts";
import { venueStreams } from "../../src/adapters/streams/streams.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { type Millis, SECOND } from "../../src/kernel/time.ts";
import { VENUES, type VenueName } from "../../src/model/market.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { runOperation } from "../support/sandbox.ts";
import type { Figure } from "./figure.ts";

const TICK: Millis = 5 * SECOND;
/** Of a request to the exchange, and of its response. */
const ON_THE_WAY: Millis = 60;
const SLOTS = 20;
/** Longer than any answer to a fill. */
const MAX_FILL_WAIT_MS: Millis = 120 * SECOND;
/** Minute of a quiet account, in which its calls are counted. */
const QUIET_SPAN: Millis = 60 * SECOND;
const REAL = { local: nodeLocal, now: () => Date.now(), pass: () => Date.now() };

/** Number of fills of an exchange, and the mean time between two of them. */
const FILLS = Number(process.env.FILLS ?? 20);
const STOPS = Number(process.env.STOPS ?? 10);
const APART: Millis = 8 * SECOND;
/** As the goal of kraken says it. */
const APART_ON_KRAKEN: Millis = 30 * SECOND;

interface StreamRun {
  readonly times: readonly Millis[];
  readonly stops: readonly StopTimes[];
  /** Calls that kraken's counter refused. */
  readonly limited: number;
  /** Signed calls of a quiet minute. */
  readonly signed: number;
}

/** Fills orders of a running server's grid on an emulated exchange, and measures until their next orders arrive. */
async function runStream(name: VenueName, isOn: boolean): Promise<StreamRun> {
  const setup = await emulatedExchanges({ names: [name], tier: "starter", time: REAL });
  const { deps, accessOf } = setup;
  const venue = setup.exchange(name);
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", {
    exchange: name,
    symbol: "BTC/USDT",
    gridLevels: SLOTS,
    orderSize: decimal("100"),
    lowerPrice: decimal("57000"),
    upperPrice: decimal("63000"),
  });
  venue.latency.before = venue.latency.after = ON_THE_WAY;
  const serving = { ...deps, interval: TICK, streams: venueStreams(accessOf, nodeSockets) };
  const follower = startStreams(serving, TICK, isOn);
  const timer = startTimer(serving, TICK, { follower });
  // Until all orders are placed, and quiet passes are further apart.
  await nodeLocal.sleep(2 * QUIET_SPAN);
  venue.resetCounts();
  await nodeLocal.sleep(QUIET_SPAN);
  const signed = venue.observed.filter(({ key }) => key !== undefined).length;
  const times: Millis[] = [];
  const apart = name === "kraken" ? APART_ON_KRAKEN : APART;
  for (let turn = 0; turn < FILLS; turn++) {
    await nodeLocal.sleep(apart * (0.5 + Math.random()));
    times.push(await answered(venue, turn));
  }
  await runOperation(deps, "stop_strategy", { id });
  await nodeLocal.sleep(4 * TICK);
  const stops: StopTimes[] = [];
  for (let turn = 0; turn < STOPS; turn++) stops.push(await stopped(setup, name));
  await timer.stop();
  await follower.stop();
  await setup.close();
  return { times, stops, limited: venue.limited.length, signed };
}

interface StopTimes {
  readonly firstCancel: Millis;
  readonly sale: Millis;
  /** Calls between them by kraken's counter, which counts trades twice, and creates and cancels not at all. */
  readonly calls: number;
}

const KRAKEN_COSTS: Readonly<Record<string, number>> = { fills: 2, create: 0, cancel: 0 };

/** Returns the times from a price below the stop-loss price of a new grid until its first cancel and its sale arrive. */
async function stopped({ deps, exchange }: Setup, name: VenueName): Promise<StopTimes> {
  const venue = exchange(name);
  venue.move("BTC/USDT", "60000");
  await runOperation(deps, "start_grid", {
    exchange: name,
    symbol: "BTC/USDT",
    gridLevels: 4,
    orderSize: decimal("100"),
    stopAtOnce: true,
    lowerPrice: decimal("55000"),
    upperPrice: decimal("65000"),
    stopLossPrice: decimal("54000"),
  });
  // Until its orders are placed, and at any moment between two ticks.
  await nodeLocal.sleep(4 * TICK * (1 + Math.random()));
  const known = venue.orders().length;
  const received = venue.observed.length;
  const began = nodeLocal.monotonic();
  const since = () => nodeLocal.monotonic() - began;
  venue.move("BTC/USDT", "53900");
  let firstCancel = Number.NaN;
  const isSale = ({ side, price }: { side: string; price: bigint }) =>
    side === "sell" && price < decimal("54000");
  while (!venue.orders().slice(known).some(isSale) && since() < MAX_FILL_WAIT_MS) {
    await nodeLocal.sleep(5);
    const isCanceling = venue.observed.slice(received).some(({ route }) => route.startsWith("cancel"));
    if (Number.isNaN(firstCancel) && isCanceling) firstCancel = since();
  }
  const signed = venue.observed.slice(received).filter(({ key }) => key !== undefined);
  const calls = signed.reduce((sum, { route }) => sum + (KRAKEN_COSTS[route] ?? 1), 0);
  return { firstCancel, sale: since(), calls };
}

type Setup = Awaited<ReturnType<typeof emulatedExchanges>>;
type Exchange = ReturnType<Setup["exchange"]>;

/** Fills the nearest order, of each side in turn, and returns the time until another order arrives. */
async function answered(venue: Exchange, turn: number): Promise<Millis> {
  const order = nearest(venue.open("BTC/USDT"), turn);
  const count = venue.orders().length;
  const began = nodeLocal.monotonic();
  venue.fill(order.id);
  while (venue.orders().length === count && nodeLocal.monotonic() - began < MAX_FILL_WAIT_MS)
    await nodeLocal.sleep(5);
  return nodeLocal.monotonic() - began;
}

function nearest<T extends { side: string; price: bigint }>(orders: readonly T[], turn: number): T {
  const [side, other] = turn % 2 === 0 ? ["buy", "sell"] : ["sell", "buy"];
  const found = [side, other].map((one) => orders.filter((order) => order.side === one));
  const some = found.find(({ length }) => length > 0);
  if (!some) throw new Error("no order is open");
  const sign = some[0]?.side === "buy" ? 1n : -1n;
  return some.reduce((best, one) => (sign * one.price > sign * best.price ? one : best));
}

const share = (times: readonly Millis[], part: number): number =>
  ([...times].sort((a, b) => a - b)[Math.ceil(part * times.length) - 1] ?? Number.NaN) / SECOND;

export async function streamFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const names = (process.env.EXCHANGES?.split(",") ?? Object.keys(VENUES)) as VenueName[];
  const runs = await Promise.all(
    names.flatMap((name) =>
      [true, false].map(async (isOn) => ({ name, isOn, ...(await runStream(name, isOn)) })),
    ),
  );
  for (const { name, isOn, times, stops, signed, limited } of runs) {
    const where = `${name}, ${isOn ? "stream" : "--no-stream"}`;
    const goal = isOn ? (name === "kraken" ? "p50 ≤ 1 s" : "p50 ≤ 0.6 s, p99 ≤ 1.5 s") : "";
    figures.push(
      {
        name: `fill to next order, ${where}; p99 ${share(times, 0.99).toFixed(2)} s of ${times.length}`,
        unit: "s",
        runs: times.map((time) => time / SECOND),
        goal,
      },
      ...(["firstCancel", "sale"] as const).map((what) => ({
        name: `stop-loss price to ${what === "sale" ? "its sale" : "the first cancel"}, ${where}`,
        unit: "s",
        runs: stops.map((times) => times[what] / SECOND),
        goal: isOn ? (name === "kraken" ? "p99 ≤ 5 s" : "p50 ≤ 1 s") : "",
      })),
      { name: `signed calls of a quiet minute, ${where}`, unit: "", runs: [signed] },
      ...(name === "kraken"
        ? [
            { name: `calls over the rate limit, ${where}`, unit: "", runs: [limited] },
            {
              name: `counted calls from the stop-loss price to the sale, ${where}`,
              unit: "",
              runs: stops.map(({ calls }) => calls),
            },
          ]
        : []),
    );
  }
  return figures;
}
