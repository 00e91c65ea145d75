/** Calls a definition whose code runs in another process. What that process returns is checked like a stranger's input. */
import * as z from "zod";
import { type Decimal, ZERO } from "../../kernel/decimal.ts";
import { messageOf } from "../../kernel/errors.ts";
import { lazy } from "../../kernel/lazy.ts";
import type { Soon } from "../../kernel/soon.ts";
import type { Millis } from "../../kernel/time.ts";
import type { AnyStrategyDefinition } from "../../ports/definition.ts";
import type { RequestedPrices } from "../../ports/kind.ts";
import type { OwnStrategy } from "../state.ts";
import { versionOf } from "../state.ts";
import {
  askDefinition,
  type CallInputs,
  type FunctionResult,
  faultOf,
  MAX_ORDER_ID_CHARACTERS,
  MAX_ORDERS_RETURNED,
  MAX_STATE_CHARACTERS,
  type Runnable,
  requestedData,
  withParsedConfig,
} from "./ask.ts";
import { LogShape, logField } from "./log.ts";
import { NotesShape } from "./notes.ts";

/** Result of code that can also reject its config. */
export type CodeResult = FunctionResult | { readonly fault: null; readonly misfit: string };

/** What a pass read for a call, and when by protocol time. */
interface CallReads {
  readonly prices: RequestedPrices;
  readonly readAt: Millis;
}

/** Input of a call as plain data. */
export interface CodeCall extends Omit<CallInputs, "requested">, CallReads {}

/** Calls the function here, or in the process of its account's strategies. */
export function askCode(
  { definition, config }: Runnable,
  inputs: CallInputs & { readonly strategy: OwnStrategy },
  reads: CallReads,
): Soon<CodeResult> {
  if (!definition.ask) return askDefinition({ definition, config }, inputs);
  return definition.ask("orders", callOf(inputs, reads), inputs.strategy).then(
    (result) => readResult(result, definition, inputs),
    (error: unknown) => ({ fault: messageOf(error) }),
  );
}

/** Returns only what a call uses: a pass asks twice, and gets the same answer for the same input. */
function callOf(
  { strategy, live, market, book, now }: CallInputs,
  { prices: { candles, elsewhere }, readAt }: CallReads,
): CodeCall {
  const { number, config, state } = strategy;
  const { ids, base, cost, ledger, memory, fills } = state;
  return {
    strategy: { number, config, state: { ids, base, cost, ledger, memory, fills } as OwnStrategy["state"] },
    live: live.map(({ slot, side, price, amount, filled, state: progress }) => ({
      slot,
      side,
      price,
      amount,
      filled,
      state: progress,
    })),
    market,
    book,
    now,
    readAt,
    prices: { candles, elsewhere },
  };
}

/** Does what `askCode` requests, in the process that has the code. */
export function answerCall(
  definition: AnyStrategyDefinition,
  { prices, readAt, ...inputs }: CodeCall,
): CodeResult {
  const runnable = withParsedConfig(definition, inputs.strategy.config.options);
  if (typeof runnable === "string") return { fault: null, misfit: runnable };
  const requested = requestedData(definition, { ...prices, book: inputs.book }, readAt, inputs.now);
  if (typeof requested === "string") return { fault: requested };
  return askDefinition(runnable, { ...inputs, requested });
}

const units = () => z.string().regex(/^\d{1,60}$/);

const ResultShape = lazy(() =>
  z.union([
    z.strictObject({ fault: z.string(), log: LogShape().optional() }),
    z.strictObject({ fault: z.null(), misfit: z.string() }),
    z.strictObject({
      fault: z.null(),
      wishes: z
        .array(
          z.strictObject({
            id: z.string().min(1).max(MAX_ORDER_ID_CHARACTERS),
            side: z.enum(["buy", "sell"]),
            price: units(),
            amount: units(),
            mayTake: z.boolean().optional(),
          }),
        )
        .max(MAX_ORDERS_RETURNED),
      memory: z.strictObject({ json: z.string().max(MAX_STATE_CHARACTERS), version: z.number() }).nullable(),
      notes: NotesShape(),
      log: LogShape().optional(),
    }),
  ]),
);

/** Returns a valid result. Anything else is a fault: only code that tampers with its own process returns it. */
function readResult(
  result: unknown,
  definition: AnyStrategyDefinition,
  { strategy, market }: Pick<CallInputs, "strategy" | "market">,
): CodeResult {
  const { data } = ResultShape().safeParse(result);
  const invalid = { fault: faultOf(definition, "its process returned what is not a result") };
  if (!data) return invalid;
  if ("misfit" in data) return { fault: null, misfit: shortText(data.misfit) };
  if (data.fault !== null) return { fault: shortText(data.fault), ...logField(data.log) };
  const wishes = data.wishes.map((wish) => ({
    ...wish,
    price: BigInt(wish.price),
    amount: BigInt(wish.amount),
  }));
  const isValid =
    new Set(wishes.map(({ id }) => id)).size === wishes.length &&
    wishes.every(
      ({ price, amount }) =>
        price > ZERO && isOn(price, market.tick) && (amount === ZERO || isOn(amount, market.lot)),
    ) &&
    isMemory(data.memory, versionOf(definition));
  if (!isValid) return invalid;
  const { memory } = strategy.state;
  const isSame = memory?.json === data.memory?.json && memory?.version === data.memory?.version;
  return {
    fault: null,
    wishes,
    memory: isSame ? memory : data.memory,
    notes: data.notes,
    ...logField(data.log),
  };
}

const MAX_TEXT_CHARACTERS = 500;
const shortText = (text: string): string => text.slice(0, MAX_TEXT_CHARACTERS);

const isOn = (value: Decimal, step: Decimal): boolean => step <= ZERO || value % step === ZERO;

function isMemory(memory: OwnStrategy["state"]["memory"], version: number): boolean {
  if (memory === null) return true;
  try {
    JSON.parse(memory.json);
    return Number.isInteger(memory.version) && memory.version <= version;
  } catch {
    return false;
  }
}
