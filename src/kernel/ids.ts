import type { Millis } from "./time.ts";

/**
 * Client order ids: 18 characters of [0-9a-z] beginning `em`, valid on every venue.
 *   grid order   em + 8 (the strategy's number) + 8 (generation, slot, sequence)
 *   by hand      em0 + 15 random
 * A strategy's number is a millisecond, whose eight base-36 digits do not begin with 0 after 1972,
 * so the two kinds cannot meet; and one id says which slot's which order it is.
 */
export interface OrderKey {
  /** The strategy's number: the millisecond in its id, unique in the database. */
  readonly strategy: Millis;
  readonly generation: number;
  readonly slot: number;
  readonly sequence: number;
}

const STRATEGY_DIGITS = 8;
const SLOTS = 2 ** 10;
const SEQUENCES = 2 ** 18;
const GENERATIONS = 2 ** 13;
const FORM = /^em[0-9a-z]{16}$/;

/** Throws when a part is out of range: a grid that has used up its ids has to be started anew. */
export function clientOrderId({ strategy, generation, slot, sequence }: OrderKey): string {
  const fits = generation < GENERATIONS && slot < SLOTS && sequence < SEQUENCES;
  if (!fits) throw new RangeError("this grid has used up its order ids: stop it and start a new one");
  const order = (generation * SLOTS + slot) * SEQUENCES + sequence;
  return `em${base36(strategy)}${base36(order)}`;
}

/** The parts of a grid order's id; undefined for any other text. */
export function parseClientOrderId(id: string): OrderKey | undefined {
  if (!isOurs(id) || id[2] === "0") return undefined;
  const strategy = Number.parseInt(id.slice(2, 2 + STRATEGY_DIGITS), 36);
  const order = Number.parseInt(id.slice(2 + STRATEGY_DIGITS), 36);
  const rest = Math.floor(order / SEQUENCES);
  return {
    strategy,
    generation: Math.floor(rest / SLOTS),
    slot: rest % SLOTS,
    sequence: order % SEQUENCES,
  };
}

/** Whether an id has the form that only this product gives. */
export const isOurs = (id: string): boolean => FORM.test(id);

/** The id of an order placed by hand, from 15 random characters of [0-9a-z]. */
export const handOrderId = (random: string): string => `em0${random.slice(0, 15)}`;

const base36 = (value: number): string => value.toString(36).padStart(STRATEGY_DIGITS, "0");
