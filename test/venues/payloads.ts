/** A grid on an emulated exchange whose answers to reads have a value changed now and then, and what it orders then. */
import type { Fetch } from "../../src/adapters/ccxt/client/transport.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { type Decimal, decimal, div, roundToStep, text } from "../../src/kernel/decimal.ts";
import { mixHash, pseudorandomShare } from "../../src/kernel/hash.ts";
import { isOurs, parseClientOrderId } from "../../src/kernel/ids.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { runOperation } from "../support/sandbox.ts";
import type { Order } from "./order.ts";

type Json = unknown;

/** None of these can be what an exchange means. */
const BAD: readonly Json[] = [null, "", "NaN", "Infinity", "-1", -1, "abc", [], {}, "1e999", true, "-0.5"];
const PAIR = "BTC/USDT";
const [LOWER, UPPER, SLOTS, SIZE] = [57_000, 63_000, 6, 100] as const;
const LEVELS = Array.from({ length: SLOTS + 1 }, (_, i) =>
  decimal(String(LOWER + i * ((UPPER - LOWER) / SLOTS))),
);

export interface PayloadRun {
  readonly name: VenueName;
  /** Answers to change. */
  readonly mutations: number;
  readonly seed: number;
}

export interface PayloadReport {
  readonly mutated: number;
  readonly passes: Readonly<Record<string, number>>;
  readonly orders: number;
  readonly executions: number;
  readonly violations: readonly string[];
}

export async function runPayloads({ name, mutations, seed }: PayloadRun): Promise<PayloadReport> {
  let drawn = 0;
  const random = () => pseudorandomShare(mixHash(seed, 1), ++drawn);
  const mutator = createMutator(random);
  const setup = await emulatedExchanges({
    names: [name],
    seed,
    fetch: mutator.fetch,
    timing: {
      readLag: 5 * SECOND,
      secondMiss: 5 * SECOND,
      backoff: { first: 5 * SECOND, max: 10 * SECOND },
    },
  });
  try {
    const exchange = setup.exchange(name);
    await runOperation(setup.deps, "start_grid", {
      exchange: name,
      symbol: PAIR,
      lowerPrice: LEVELS[0],
      upperPrice: LEVELS.at(-1),
      gridLevels: SLOTS,
      orderSize: decimal(String(SIZE)),
    });
    const passes: Record<string, number> = {};
    const step = async () => {
      setup.time.pass(5 * SECOND);
      exchange.advance();
      for (const { outcome } of await runRound(setup.deps)) passes[outcome] = (passes[outcome] ?? 0) + 1;
    };
    mutator.share = 0.15;
    let price = 60_000;
    // Whatever goes wrong, it ends.
    for (let pass = 0; mutator.count() < mutations && pass < mutations * 5; pass++) {
      price = Math.min(62_900, Math.max(57_100, price + (random() - 0.5) * 900));
      exchange.move(PAIR, String(Math.round(price)));
      await step();
    }
    mutator.share = 0;
    for (let pass = 0; pass < 60; pass++) await step();
    const ours = exchange.orders().filter(({ clientId }) => isOurs(plainId(clientId)));
    return {
      mutated: mutator.count(),
      passes,
      orders: ours.length,
      executions: exchange.executions().length,
      violations: [...ours.flatMap(wrongWith), ...twiceIn(ours)],
    };
  } finally {
    await setup.close();
  }
}

const plainId = (clientId: string): string => clientId.replace(/^t-/, "");

/** A grid's order is at its slot's price and of its slot's size, whatever was read. */
function wrongWith({ clientId, side, price, amount, listing }: Order): string[] {
  const slot = parseClientOrderId(plainId(clientId))?.slot ?? -1;
  const level = LEVELS[side === "buy" ? slot : slot + 1];
  const output = `${clientId}, slot ${slot}: ${side} ${text(amount)} at ${text(price)}`;
  if (level !== price) return [`${output}, not at its level`];
  const least = LEVELS[slot] as Decimal;
  // What was bought at the slot's lower price is the most that it ever sells; a first sell is less.
  const most = roundToStep(div(decimal(String(SIZE)), least, "down"), listing.lot, "down");
  return amount > most || amount <= 0n || amount * 3n < most ? [`${output}, of ${text(most)}`] : [];
}

/** Two open orders of one slot are one too many. */
function twiceIn(orders: readonly Order[]): string[] {
  const open = orders.filter(({ status }) => status === "open").map(({ clientId }) => plainId(clientId));
  const slots = open.map((id) => parseClientOrderId(id)?.slot);
  return slots
    .filter((slot, place) => slots.indexOf(slot) !== place)
    .map((slot) => `slot ${slot} rests twice`);
}

/** Requests that act: their answers are what faults.ts is for. */
const ACTS = /AddOrder|CancelOrder|CancelAll|place-order|cancel-order|batch-cancel|cancel-symbol/;
const isAct = (url: string, { method = "GET" }: RequestInit): boolean =>
  ACTS.test(url) ||
  method === "DELETE" ||
  (method === "POST" && /\/(api\/v3\/order|spot\/orders)\b/.test(url));

function createMutator(random: () => number) {
  let count = 0;
  const mutator = {
    /** Of the answers to reads. */
    share: 0,
    count: () => count,
    fetch: (async (url, init) => {
      const answer = await fetch(url, init);
      if (isAct(url, init) || random() >= mutator.share) return answer;
      const body = parsed(await answer.text());
      const places = placesIn(body);
      const place = places[Math.floor(random() * places.length)];
      if (!place) return Response.json(body, { status: answer.status });
      count++;
      const bad = BAD[Math.floor(random() * BAD.length)];
      return Response.json(changed(body, place, bad), { status: answer.status, headers: dateOf(answer) });
    }) as Fetch,
  };
  return mutator;
}

const dateOf = ({ headers }: Response): Record<string, string> => {
  const date = headers.get("date");
  return date === null ? {} : { date };
};

function parsed(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return {};
  }
}

type Place = readonly (string | number)[];

/** Every place of a payload where a value stands. */
function placesIn(value: Json, path: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, part]) => placesIn(part, [...path, key]));
}

function changed(value: Json, [key, ...rest]: Place, to: Json): Json {
  if (key === undefined) return to;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  (copy as Record<string, Json>)[key] = changed((value as Record<string, Json>)[key], rest, to);
  return copy;
}
