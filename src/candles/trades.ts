import type { Scratch } from "./bars.ts";
import type { Figure } from "./figures.ts";

const [OPEN, HIGH, LOW, CLOSE] = [0, 1, 2, 3] as const;

/** Compares two prices exactly: of each the digits and the decimals. */
const isAbove = (bar: Scratch, place: number, { digits, decimals }: Figure): boolean => {
  const own = bar.digits[place] as number;
  const shift = decimals - (bar.decimals[place] as number);
  return shift >= 0 ? own * 10 ** shift > digits : own > digits * 10 ** -shift;
};
const isBelow = (bar: Scratch, place: number, { digits, decimals }: Figure): boolean => {
  const own = bar.digits[place] as number;
  const shift = decimals - (bar.decimals[place] as number);
  return shift >= 0 ? own * 10 ** shift < digits : own < digits * 10 ** -shift;
};

function set(bar: Scratch, place: number, { digits, decimals }: Figure): void {
  bar.digits[place] = digits;
  bar.decimals[place] = decimals;
}

/**
 * Makes bars of trades in ascending time: a bar begins with its first trade and ends with its last one. A span in
 * which nobody traded has no bar. `onBar` gets the same one again and again.
 */
export function createTradeBars(spanMillis: number, bar: Scratch, onBar: () => void) {
  let isOpen = false;

  /** Returns why the trade cannot be taken. */
  function add(at: number, price: Figure, amount: number): string | undefined {
    const from = Math.floor(at / spanMillis) * spanMillis;
    if (isOpen && from < bar.at)
      return "it is earlier than the previous trade; trades must be in order of time";
    if (isOpen && from > bar.at) end();
    if (!isOpen) {
      isOpen = true;
      bar.at = from;
      bar.volume = 0;
      for (const place of [OPEN, HIGH, LOW]) set(bar, place, price);
    } else {
      if (isBelow(bar, HIGH, price)) set(bar, HIGH, price);
      if (isAbove(bar, LOW, price)) set(bar, LOW, price);
    }
    set(bar, CLOSE, price);
    bar.volume += amount;
    return undefined;
  }

  function end(): void {
    if (isOpen) onBar();
    isOpen = false;
  }

  return { add, end };
}
