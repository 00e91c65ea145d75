import { flagField } from "./fields.ts";

/**
 * What a stop may be asked for beside its end, and what that means: a field of every stop, a column of the strategy of
 * the same name, and a part of the wish that a pass's stop rests on. A flag is a line here, a migration, and the place
 * where it acts.
 */
const FLAG_MEANINGS = {
  sellBase: "Also sells the strategy's base, at up to 10 % below the mid price",
} as const;

export type StopFlag = keyof typeof FLAG_MEANINGS;
export type StopFlags = Readonly<Record<StopFlag, boolean>>;

/** How a stop is asked for: what becomes of the orders, and its flags. */
export interface StopWish extends StopFlags {
  /** A stop that leaves the open orders to the person. */
  readonly keepOrders: boolean;
}

export const STOP_FLAGS = Object.keys(FLAG_MEANINGS) as readonly StopFlag[];

/** Something of each flag, under its name. */
export const ofEachStopFlag = <T>(make: (flag: StopFlag) => T): Record<StopFlag, T> =>
  Object.fromEntries(STOP_FLAGS.map((flag) => [flag, make(flag)])) as Record<StopFlag, T>;

/** Of a strategy that nobody has asked to stop. */
export const NO_STOP: StopWish = { keepOrders: false, ...ofEachStopFlag(() => false) };

/** The fields of a stop's input. */
export const stopFields = () =>
  ofEachStopFlag((flag) => flagField("Invalid request", flag).default(false).describe(FLAG_MEANINGS[flag]));
