/** Calls a definition and parses its result: errors become faults and are never thrown. */

import { div, snap, ZERO } from "../../kernel/decimal.ts";
import { type Amount, Money } from "../../kernel/money.ts";
import type { Market } from "../../model/market.ts";
import type { OrderTerms } from "../../model/order.ts";
import type { AnyStrategyDefinition, Declared, StrategyDefinitions } from "../../ports/definition.ts";
import { type DeclaredState, type DeclaredStrategy, versionOf } from "../state.ts";
import { findDefinition } from "./requested.ts";
import { type CallInputs, inputFor } from "./view.ts";

/** A declared order, rounded to the market's rules. */
export interface NamedWish extends OrderTerms {
  readonly id: string;
}

export type FunctionResult =
  | { readonly fault: string }
  | {
      readonly fault: null;
      readonly wishes: readonly NamedWish[];
      readonly memory: DeclaredState["memory"];
    };

/** Maximum number of declared orders; more would be a mistake. */
const MOST_DECLARED = 100;
const LONGEST_ID = 40;
const LONGEST_FAULT = 500;
export const MOST_STATE = 65_536;

/** A strategy's definition with its config. */
export interface Runnable {
  readonly definition: AnyStrategyDefinition;
  readonly config: unknown;
}

/** Returns what a strategy runs, or why it cannot run. */
export function runnableOf({ config }: DeclaredStrategy, all: StrategyDefinitions): Runnable | string {
  const found = findDefinition(all, config.definition);
  if (!found) return `the strategy ${config.definition} is not loaded: its file is missing or has an error`;
  const version = versionOf(found);
  if (version < config.version)
    return `${config.definition} was started with version ${config.version}, and version ${version} is loaded`;
  if (version > config.version && !found.upgrade)
    return `${config.definition} has changed to version ${version} without an upgrade from version ${config.version}`;
  return withParsedConfig(found, config.options);
}

function withParsedConfig(definition: AnyStrategyDefinition, options: unknown): Runnable | string {
  const { guard = (work) => work() } = definition;
  try {
    const { data, error } = guard(() => definition.config.safeParse(options));
    if (!error) return { definition, config: data };
    const [issue] = error.issues;
    return `${definition.name} has changed, and its config no longer fits: ${issue?.path.join(".")}: ${issue?.message}`;
  } catch (error) {
    return faultOf(definition, error);
  }
}

export function askDefinition({ definition, config }: Runnable, inputs: CallInputs): FunctionResult {
  const { guard = (work) => work() } = definition;
  try {
    return guard(() => ({ fault: null, ...callDefinition({ definition, config }, inputs) }));
  } catch (error) {
    return { fault: faultOf(definition, error).slice(0, LONGEST_FAULT) };
  }
}

function callDefinition({ definition, config }: Runnable, inputs: CallInputs) {
  const { memory } = inputs.strategy.state;
  const version = versionOf(definition);
  const stored: unknown = memory === null ? structuredClone(definition.initial) : JSON.parse(memory.json);
  const isOlder = memory !== null && memory.version < version;
  const state = isOlder ? definition.upgrade?.(stored, memory.version) : stored;
  const call = () => {
    const answer: Declared = definition.orders(inputFor(inputs, { config, state }));
    return readAnswer(answer, { inputs, version, state, isOlder });
  };
  const result = call();
  if (definition.isCalledTwice && comparableText(call()) !== comparableText(result))
    throw new Error(
      "two calls with the same input returned different orders: keep what changes in its state",
    );
  return result;
}

export const comparableText = (result: unknown): string =>
  JSON.stringify(result, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value));

/** Returns a fault with the file and line that threw, or of the function that returned an invalid result. */
function faultOf({ locate, source }: AnyStrategyDefinition, error: unknown): string {
  const at = locate?.(error) ?? source;
  const message = (error as { readonly message?: unknown } | null | undefined)?.message ?? error;
  return `${at === undefined ? "" : `${at}: `}${String(message)}`;
}

interface CallContext {
  readonly inputs: CallInputs;
  readonly version: number;
  readonly state: unknown;
  readonly isOlder: boolean;
}

function readAnswer(answer: Declared, { inputs, version, state, isOlder }: CallContext) {
  if (typeof (answer as { then?: unknown } | undefined)?.then === "function") {
    // A later rejection would end the process.
    Promise.resolve(answer).catch(() => undefined);
    throw new TypeError("orders() is asynchronous: it has to return its orders at once");
  }
  const isList = Array.isArray(answer);
  const orders: unknown = isList ? answer : (answer as { orders?: unknown } | undefined)?.orders;
  if (!Array.isArray(orders)) throw new TypeError("orders() returned neither orders nor { orders, state }");
  if (orders.length > MOST_DECLARED)
    throw new RangeError(`orders() returned ${orders.length} orders; the maximum is ${MOST_DECLARED}`);
  const wishes = orders.map((one: unknown) => readOrder(one, inputs.market));
  const names = new Set(wishes.map(({ id }) => id));
  if (names.size < wishes.length) throw new RangeError("orders() returned two orders with the same id");
  const next = isList ? state : (answer as { state?: unknown }).state;
  const { memory } = inputs.strategy.state;
  return { wishes, memory: isList && !isOlder ? memory : memoryOf(next, version, memory) };
}

/** Returns the same object if nothing changed, so a pass without changes writes nothing. */
function memoryOf(state: unknown, version: number, before: DeclaredState["memory"]): DeclaredState["memory"] {
  const json = state === undefined ? undefined : JSON.stringify(state);
  if (json === undefined) return null;
  if (json.length > MOST_STATE)
    throw new RangeError(
      `orders() returned a state of ${json.length} characters; the maximum is ${MOST_STATE}`,
    );
  return before?.json === json && before.version === version ? before : { json, version };
}

function readOrder(one: unknown, market: Market): NamedWish {
  const { id, side, price, size, quoteSize } = (one ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof id !== "string" || id === "" || id.length > LONGEST_ID)
    throw new TypeError(`an order's id is not a text of 1 to ${LONGEST_ID} characters`);
  if (side !== "buy" && side !== "sell") throw new TypeError(`order ${id}: side is neither buy nor sell`);
  const at = snap(readUnits(price, `order ${id}: price`), market.tick, side === "buy" ? "down" : "up");
  if (at <= ZERO) throw new RangeError(`order ${id}: price is not above zero`);
  if ((size === undefined) === (quoteSize === undefined))
    throw new TypeError(`order ${id}: give either size or quoteSize`);
  const amount =
    size === undefined
      ? div(readUnits(quoteSize, `order ${id}: quoteSize`), at, "down")
      : readUnits(size, `order ${id}: size`);
  if (amount < ZERO) throw new RangeError(`order ${id}: size is below zero`);
  return { id, side, price: at, amount: snap(amount, market.lot, "down") };
}

function readUnits(value: unknown, what: string): bigint {
  try {
    return Money.of(value as Amount).units;
  } catch {
    throw new RangeError(`${what} is not a number: ${String(value)}`);
  }
}
