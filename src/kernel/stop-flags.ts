import { flagField } from "./fields.ts";

/**
 * Optional flags of a stop with their descriptions. Each flag is a field of every stop, a column of the strategy with
 * the same name, and part of the wish that a pass acts on. To add a flag, add a line here, a migration, and the code
 * that acts on it.
 */
const FLAG_MEANINGS = {
  sellBase: "Also sells the strategy's base, at up to 10 % below the mid price",
} as const;

export type StopFlag = keyof typeof FLAG_MEANINGS;
export type StopFlags = Readonly<Record<StopFlag, boolean>>;

/** How to stop: what happens to the orders, and the flags. */
export interface StopWish extends StopFlags {
  /** A stop that leaves the open orders to the user. */
  readonly keepOrders: boolean;
}

export const STOP_FLAGS = Object.keys(FLAG_MEANINGS) as readonly StopFlag[];

/** Builds a value for each flag, under its name. */
export const ofEachStopFlag = <T>(make: (flag: StopFlag) => T): Record<StopFlag, T> =>
  Object.fromEntries(STOP_FLAGS.map((flag) => [flag, make(flag)])) as Record<StopFlag, T>;

/** State of a strategy without a requested stop. */
export const NO_STOP: StopWish = { keepOrders: false, ...ofEachStopFlag(() => false) };

/** Returns the question before a stop. */
export const questionBeforeStop =
  (what: string) =>
  ({ id, cancelOrders, sellBase }: Readonly<Record<string, unknown>>): string => {
    const orders = cancelOrders === false ? "leave its orders open" : "cancel its orders";
    const sale = sellBase ? ", and sell its base at up to 10 % below the mid price" : "";
    return `Stop the ${what} ${id}, ${orders}${sale}? You cannot resume it.`;
  };

/** The fields of a stop's input. */
export const stopFields = () =>
  ofEachStopFlag((flag) => flagField("Invalid request", flag).default(false).describe(FLAG_MEANINGS[flag]));
