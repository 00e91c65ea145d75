import { text } from "../../src/kernel/decimal.ts";
import type { NewOrder } from "../../src/model/order.ts";
import type { CreateOutcome } from "../../src/ports/venue.ts";

/** A request as it reaches an exchange. `line` does not depend on the time, or on ids of edgemaker or the exchange. */
export interface Request {
  readonly at: number;
  readonly line: string;
}

/**
 * Records what reaches the exchanges. Orders are numbered as they arrive, so a cancel names its order without its id.
 * Client order ids and exchange ids are not part of a line: they contain slots, serials and times.
 */
export function createRequests(now: () => number) {
  const list: Request[] = [];
  const numbers = new Map<string, number>();
  const numbersByExchangeId = new Map<string, number>();
  const add = (line: string) => {
    list.push({ at: now(), line });
    return line;
  };
  return {
    list: list as readonly Request[],
    /** Returns a function that notes the exchange's id of the order. */
    create(exchange: string, order: NewOrder) {
      const { clientId, symbol, side, type, amount, price, timeInForce = "gtc" } = order;
      const key = `${exchange} ${clientId}`;
      const number = numbers.get(key) ?? numbers.size + 1;
      numbers.set(key, number);
      const limit = type === "limit" ? ` at ${text(price)}` : "";
      add(`create #${number} ${exchange} ${symbol} ${side} ${text(amount)}${limit} ${type} ${timeInForce}`);
      return (outcome: CreateOutcome): CreateOutcome => {
        if ("id" in outcome) numbersByExchangeId.set(`${exchange} ${outcome.id}`, number);
        return outcome;
      };
    },
    cancel(exchange: string, { symbol, id }: { readonly symbol: string; readonly id: string }): string {
      const number = numbersByExchangeId.get(`${exchange} ${id}`);
      return add(`cancel ${number === undefined ? "another order" : `#${number}`} ${exchange} ${symbol}`);
    },
  };
}

export type Requests = ReturnType<typeof createRequests>;
