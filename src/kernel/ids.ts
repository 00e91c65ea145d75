import type { Millis } from "./time.ts";

/**
 * Client order ids: 18 characters of [0-9a-z] beginning `em`, valid on every venue.
 *   order of a strategy   em + 6 (the strategy's tag, never beginning with 0) + 10 (serial, generation, slot)
 *   manual order          em0 + 15 random
 * A serial follows the database's clock, so an id is not given again even where the database has forgotten
 * that it was; and the id alone names the slot of its order.
 */
export interface OrderKey {
  /** `strategyTag` the strategy's number. */
  readonly tag: number;
  readonly generation: number;
  readonly slot: number;
  readonly serial: number;
}

const TAG_DIGITS = 6;
const FIRST_TAG = 36 ** (TAG_DIGITS - 1);
/** How many tags there are. Two strategies of one account never share one. */
export const STRATEGY_TAGS = 36 ** TAG_DIGITS - FIRST_TAG;
const ORDER_DIGITS = 10;
const SLOTS = 2 ** 10;
const GENERATIONS = 2 ** 8;
/** The last of these is reached in 2048. */
const SERIALS = Math.floor(36 ** ORDER_DIGITS / (SLOTS * GENERATIONS));
/** Two passes over an account are always farther apart. */
const SERIAL_MILLIS: Millis = 50;
/** 2026-01-01T00:00:00Z */
const FIRST_SERIAL_AT: Millis = 1_767_225_600_000;
const FORM = /^em[0-9a-z]{16}$/;

/** What a strategy's orders carry of its number, the millisecond in its id. */
export const strategyTag = (strategy: Millis): number =>
  FIRST_TAG + (((strategy % STRATEGY_TAGS) + STRATEGY_TAGS) % STRATEGY_TAGS);

/** The least serial of an order that is planned at a protocol time. */
export const serialAt = (now: Millis): number =>
  Math.max(0, Math.floor((now - FIRST_SERIAL_AT) / SERIAL_MILLIS));

/** Of a generation the id carries the last 8 bits. Throws when a slot or a serial is out of range. */
export function clientOrderId({ tag, generation, slot, serial }: OrderKey): string {
  if (slot >= SLOTS || serial >= SERIALS) throw new RangeError("no client order id is left for this slot");
  const order = (serial * GENERATIONS + (generation % GENERATIONS)) * SLOTS + slot;
  return `em${base36(tag, TAG_DIGITS)}${base36(order, ORDER_DIGITS)}`;
}

/** The parts of the id of a strategy's order; undefined for any other text. */
export function parseClientOrderId(id: string): OrderKey | undefined {
  if (!isOurs(id) || id[2] === "0") return undefined;
  const order = Number.parseInt(id.slice(2 + TAG_DIGITS), 36);
  const rest = Math.floor(order / SLOTS);
  return {
    tag: Number.parseInt(id.slice(2, 2 + TAG_DIGITS), 36),
    generation: rest % GENERATIONS,
    slot: order % SLOTS,
    serial: Math.floor(rest / GENERATIONS),
  };
}

/** The generation nearest to another one of which an id carries these bits. */
export function generationNear(bits: number, generation: number): number {
  const ahead = (bits - generation) & (GENERATIONS - 1);
  const nearest = generation + (ahead < GENERATIONS / 2 ? ahead : ahead - GENERATIONS);
  return nearest < 0 ? nearest + GENERATIONS : nearest;
}

/** Whether an id has the form that only this product gives. */
export const isOurs = (id: string): boolean => FORM.test(id);

/** The id of a manual order, from 15 random characters of [0-9a-z]. */
export const handOrderId = (random: string): string => `em0${random.slice(0, 15)}`;

const base36 = (value: number, digits: number): string => value.toString(36).padStart(digits, "0");
