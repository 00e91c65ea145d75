import type { Millis } from "./time.ts";

/**
 * Client order ids: 18 characters of [0-9a-z] beginning with `em`, valid on every exchange. A strategy's order is em
 * + 6 (the strategy's tag, never beginning with 0) + 10 (serial, generation, slot). A manual order is em0 + 15 random
 * characters. A serial follows the database's clock, so an id never repeats, even after the database lost rows; the
 * id alone identifies the slot of its order.
 */
export interface OrderKey {
  /** `strategyTag` of the strategy's number. */
  readonly tag: number;
  readonly generation: number;
  readonly slot: number;
  readonly serial: number;
}

const TAG_DIGITS = 6;
const FIRST_TAG = 36 ** (TAG_DIGITS - 1);
/** Number of tags. Two strategies of one account never share a tag. */
export const STRATEGY_TAGS = 36 ** TAG_DIGITS - FIRST_TAG;
const ORDER_DIGITS = 10;
const SLOTS = 2 ** 10;
const GENERATIONS = 2 ** 8;
/** Number of serials; the last one is reached in 2048. */
const SERIALS = Math.floor(36 ** ORDER_DIGITS / (SLOTS * GENERATIONS));
/** Two passes over an account are always further apart than this. */
const SERIAL_MILLIS: Millis = 50;
/** 2026-01-01T00:00:00Z */
const FIRST_SERIAL_AT: Millis = 1_767_225_600_000;
const FORM = /^em[0-9a-z]{16}$/;

/** Returns the tag of a strategy's number, the millisecond in its id. */
export const strategyTag = (strategy: Millis): number =>
  FIRST_TAG + (((strategy % STRATEGY_TAGS) + STRATEGY_TAGS) % STRATEGY_TAGS);

/** Returns the smallest serial of an order that is planned at a protocol time. */
export const serialAt = (now: Millis): number =>
  Math.max(0, Math.floor((now - FIRST_SERIAL_AT) / SERIAL_MILLIS));

/**
 * Returns the id of an order; it contains the last 8 bits of the generation. Throws if a slot or a serial is out of
 * range.
 */
export function clientOrderId({ tag, generation, slot, serial }: OrderKey): string {
  if (slot >= SLOTS || serial >= SERIALS) throw new RangeError("no client order id is left for this slot");
  const order = (serial * GENERATIONS + (generation % GENERATIONS)) * SLOTS + slot;
  return `em${base36(tag, TAG_DIGITS)}${base36(order, ORDER_DIGITS)}`;
}

/** Parses the id of a strategy's order; undefined for any other text. */
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

/** Returns the generation with these bits that is nearest to another generation. */
export function generationNear(bits: number, generation: number): number {
  const ahead = (bits - generation) & (GENERATIONS - 1);
  const nearest = generation + (ahead < GENERATIONS / 2 ? ahead : ahead - GENERATIONS);
  return nearest < 0 ? nearest + GENERATIONS : nearest;
}

/** Returns whether an id has the format that only edgemaker uses. */
export const isOurs = (id: string): boolean => FORM.test(id);

/** Returns the id of a manual order, from 15 random characters of [0-9a-z]. */
export const manualOrderId = (random: string): string => `em0${random.slice(0, 15)}`;

const base36 = (value: number, digits: number): string => value.toString(36).padStart(digits, "0");
