import type { GridStrategy, Slot } from "../../src/grid/state/state.ts";
import { type Decimal, decimal, min, ZERO } from "../../src/kernel/decimal.ts";

const FIRST_FEE = decimal("0.001");

/** Returns whether a slot has the base of another one, which it sells without a loss. */
export const isDrawn = ({ bought, first, sold, base }: Slot): boolean =>
  bought === ZERO && !first && sold === ZERO && base > ZERO;

/** Knows the fees of each pair at any time. `passSince` is when the pass that holds the lease began. */
export function createDrawnFees({ now, passSince }: { now: () => number; passSince: () => number }) {
  const latest = new Map<string, Decimal>();
  const ended: { readonly symbol: string; readonly until: number; readonly fee: Decimal }[] = [];
  const drawn = new Map<string, Decimal>();
  const latestOf = (symbol: string) => latest.get(symbol) ?? FIRST_FEE;

  return {
    feeIs(symbol: string, fee: Decimal): void {
      ended.push({ symbol, until: now(), fee: latestOf(symbol) });
      latest.set(symbol, fee);
    },

    /** Returns the least fee that the pass can have read that gave the slot its base; its sale keeps the price. */
    whenDrawn({ id, symbol, state }: GridStrategy, { index, base, cost, sellAt }: Slot): Decimal {
      const key = [id, state.generation, index, base, cost, sellAt].join();
      const since = passSince();
      const read = ended.filter((one) => one.symbol === symbol && one.until >= since).map(({ fee }) => fee);
      const fee = drawn.get(key) ?? read.reduce(min, latestOf(symbol));
      drawn.set(key, fee);
      return fee;
    },
  };
}
