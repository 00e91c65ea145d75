import { expect } from "vitest";
import type { Driven } from "../support/driven.ts";
import { d } from "../support/grid.ts";
import { startOf } from "../support/starts.ts";
import type { GridModel, Model } from "./model.ts";
import { isOpen, readRows } from "./rows.ts";

/** One thing a person or the market does: asks, and returns what its answer makes of the model. */
export interface Deed {
  readonly name: string;
  /** `atOnce` with others: then the answer may be the one before or after theirs. */
  act(real: Driven, model: Model, atOnce: boolean): Promise<() => void>;
}

const nothing = () => undefined;
const BTC = { symbol: "BTC/USDT" } as const;

const SHAPES = [
  { exchange: "kraken", lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 6, orderSize: 200 },
  { exchange: "kraken", lowerPrice: 58_150, upperPrice: 61_850, gridLevels: 4, orderSize: 150 },
  { exchange: "mexc", lowerPrice: 57_500, upperPrice: 62_500, gridLevels: 5, orderSize: 200 },
  {
    exchange: "mexc",
    lowerPrice: 58_000,
    upperPrice: 62_000,
    gridLevels: 4,
    orderSize: 300,
    trail: { up: 70_000, down: 50_000 },
  },
];
const CENTERED = {
  exchange: "kraken",
  ...BTC,
  levels: 2,
  spacing: 0.01,
  deviation: 0.01,
  size: 100,
  confidence: 0,
};

/** 403 while the kill switch is on, 500 while the venue is cut off, and 200 else. */
function expectPlaced(status: number, { killed, isCut }: Model, atOnce: boolean): void {
  const expected = isCut ? 500 : killed ? 403 : 200;
  if (atOnce) expect([200, 403, 500]).toContain(status);
  else expect(status).toBe(expected);
}

const started = (id: string, exchange: string): GridModel => ({
  id,
  exchange,
  wants: "run",
  keeps: false,
  sells: false,
  intents: undefined,
  status: "running",
});

export const start = (shape: number): Deed => ({
  name: `start ${shape}`,
  async act(real, model, atOnce) {
    const grid = SHAPES[shape];
    const body = grid ? { ...BTC, ...grid } : CENTERED;
    const asked: [path: string, body: object] = grid ? ["/strategy/grid", body] : startOf("centered", body);
    const answer = await real.call<{ id: string; message: string }>("POST", ...asked);
    return () => {
      expectPlaced(answer.status, model, atOnce);
      if (answer.status === 200) model.grids.push(started(answer.body.id, body.exchange));
    };
  },
});

const pick = ({ grids }: Model, nth: number): GridModel | undefined => grids[nth % Math.max(1, grids.length)];

export const stop = (nth: number, how: { cancelOrders: boolean; sellBase?: boolean }): Deed => ({
  name: `stop ${nth} ${JSON.stringify(how)}`,
  async act(real, model, atOnce) {
    const grid = pick(model, nth);
    if (!grid) return nothing;
    const wasStopped = grid.status === "stopped";
    const { status } = await real.call("DELETE", "/strategy/grid", { id: grid.id, ...how });
    return () => {
      expect(status).toBe(200);
      if (!wasStopped) grid.keeps = atOnce && grid.wants === "stop" ? "either" : !how.cancelOrders;
      if (how.sellBase) grid.sells = true;
      grid.wants = "stop";
    };
  },
});

export const change = (nth: number, to: "pause" | "resume"): Deed => ({
  name: `${to} ${nth}`,
  async act(real, model, atOnce) {
    const grid = pick(model, nth);
    if (!grid) return nothing;
    const { status } = await real.call("POST", `/strategies/${grid.id}/${to}`, {});
    return () => {
      if (!atOnce) expect(status).toBe(grid.wants === "stop" ? 409 : 200);
      if (status !== 200 || grid.wants === "stop") return;
      grid.wants = atOnce ? "either" : to === "pause" ? "pause" : "run";
    };
  },
});

export const tick = (millis: number): Deed => ({
  name: `tick ${millis}`,
  async act(real) {
    await real.tick(millis);
    return nothing;
  },
});

/** The price moves, and what it reaches fills. */
export const move = (percent: number): Deed => ({
  name: `move ${percent} %`,
  async act(real) {
    real.time.pass(16_000);
    await real.move(1 + percent / 100);
    return nothing;
  },
});

export const kill = (on: boolean): Deed => ({
  name: `kill ${on}`,
  async act(real, model) {
    const { status } = await real.call("POST", "/kill", { on });
    return () => {
      expect(status).toBe(200);
      model.killed = on;
    };
  },
});

export const cut = (isCut: boolean): Deed => ({
  name: `cut ${isCut}`,
  async act(real, model) {
    real.switches.isCut = isCut;
    model.isCut = isCut;
    return nothing;
  },
});

export const deposit = (exchange: string, asset: string, amount: string): Deed => ({
  name: `deposit ${amount} ${asset} on ${exchange}`,
  async act(real, model) {
    const change = amount.startsWith("-") ? -d(amount.slice(1)) : d(amount);
    const done = await real.deposit(asset, change, exchange).then(
      () => true,
      () => false,
    );
    const key = `${exchange} ${asset}`;
    return () => {
      if (done) model.deposited.set(key, (model.deposited.get(key) ?? 0n) + change);
    };
  },
});

interface ByHand {
  readonly exchange: string;
  readonly side: "buy" | "sell";
  readonly price: number;
}

/** Whether an order of the account's other side rests where this one would execute against it. */
async function meetsOurs(real: Driven, { exchange, side, price }: ByHand): Promise<boolean> {
  const limit = d(String(price));
  const others = (await readRows(real)).venueOrders.filter(
    (one) => isOpen(one) && one.exchange === exchange && one.symbol === BTC.symbol && one.side !== side,
  );
  return others.some((one) => (side === "buy" ? one.price <= limit : one.price >= limit));
}

/** Whether an order would execute more than 10 % beyond the mid price, which the service refuses by default. */
async function isBeyondCollar(real: Driven, { exchange, side, price }: ByHand): Promise<boolean> {
  const { bid, ask } = await real.venue(exchange).ticker(BTC.symbol);
  const [twice, limit] = [bid + ask, d(String(price))];
  return side === "buy" ? 20n * limit > 11n * twice : 20n * limit < 9n * twice;
}

export const byHand = (exchange: string, side: "buy" | "sell", price: number): Deed => ({
  name: `${side} by hand at ${price} on ${exchange}`,
  async act(real, model, atOnce) {
    const body = { exchange, ...BTC, side, type: "limit", amount: 0.002, price };
    const meets = await meetsOurs(real, { exchange, side, price });
    const isFar = await isBeyondCollar(real, { exchange, side, price });
    const { status, body: result } = await real.call<{
      error?: string;
      limit?: string;
      order?: { id: string };
    }>("POST", "/orders", body);
    return () => {
      // What would meet an order of ours is refused; at once, that one may come or go meanwhile.
      if (result.error === "Would self-cross") expect(meets || atOnce).toBe(true);
      else if (result.limit === "limit_collar") expect(isFar || atOnce).toBe(true);
      else expectPlaced(status, model, atOnce);
      if (status === 200 && !atOnce) expect([meets, isFar]).toEqual([false, false]);
      if (result.order) model.persons.add(`${exchange} ${result.order.id}`);
    };
  },
});

/** A person cancels any open order: their own, or a grid's. */
export const cancel = (nth: number): Deed => ({
  name: `cancel ${nth}`,
  async act(real, model, atOnce) {
    const open = (await readRows(real)).venueOrders.filter(isOpen);
    const order = open[nth % Math.max(1, open.length)];
    if (!order) return nothing;
    const { exchange, id } = order;
    const path = `/orders/${id}?exchange=${exchange}&symbol=${encodeURIComponent(order.symbol)}`;
    const { status } = await real.call("DELETE", path);
    return () => {
      // It may fill, or another may cancel it, before the request is there.
      if (!atOnce && model.isCut) expect(status).toBe(500);
      else expect([200, 500]).toContain(status);
      model.persons.delete(`${exchange} ${id}`);
    };
  },
});

export const cancelAll = (exchange: string): Deed => ({
  name: `cancel all on ${exchange}`,
  async act(real, model) {
    await real.call("DELETE", `/orders?exchange=${exchange}`);
    return () => {
      for (const key of [...model.persons]) if (key.startsWith(`${exchange} `)) model.persons.delete(key);
    };
  },
});
