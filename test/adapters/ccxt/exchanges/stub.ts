import type { Ccxt, Dict } from "../../../../src/adapters/ccxt/client/ccxt.ts";
import { CallFailed, type CallFailure } from "../../../../src/adapters/ccxt/client/quirks.ts";

/** ccxt's methods, which return or throw these answers in order; what each was called with is recorded. */
export function stubExchange(answers: Readonly<Record<string, readonly unknown[]>>, own: object = {}) {
  const calls: [method: string, ...args: unknown[]][] = [];
  const left = new Map(Object.entries(answers).map(([method, all]) => [method, [...all]]));
  const methods = [...left.keys()].map((method) => [
    method,
    async (...args: unknown[]) => {
      calls.push([method, ...args]);
      const answer = left.get(method)?.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  ]);
  return { exchange: { ...Object.fromEntries(methods), ...own } as Ccxt, calls };
}

export const failed = (over: Partial<CallFailure> = {}): CallFailed =>
  new CallFailed({ failure: "refused", definite: true, reason: "no", ...over });
export const MISSING = failed({ missing: true });

/** So many rows, whose ids count down from `newest`. */
export const rowsFrom = (newest: number, count: number, over: Dict = {}): Dict[] =>
  Array.from({ length: count }, (_, i) => ({ id: String(newest - i), symbol: "BTC/USDT", ...over }));
