import type { Scratch } from "./bars.ts";
import type { Figure } from "./figures.ts";

const [OPEN, HIGH, LOW, CLOSE] = [0, 1, 2, 3] as const;

/** Compares two prices exactly by digits and decimals. */
const isAbove = (bar: Scratch, index: number, { digits, decimals }: Figure): boolean => {
  const own = bar.digits[index] as number;
  const shift = decimals - (bar.decimals[index] as number);
  return shift >= 0 ? own * 10 ** shift > digits : own > digits * 10 ** -shift;
};
const isBelow = (bar: Scratch, index: number, { digits, decimals }: Figure): boolean => {
  const own = bar.digits[index] as number;
  const shift = decimals - (bar.decimals[index] as number);
  return shift >= 0 ? own * 10 ** shift < digits : own < digits * 10 ** -shift;
};

function set(bar: Scratch, index: number, { digits, decimals }: Figure): void {
  bar.digits[index] = digits;
  bar.decimals[index] = decimals;
}

/**
 * Builds bars from trades in ascending order: from the first trade of a span to its last. A span without trades has
 * no bar. `onBar` receives the same reused object.
 */
export function createTradeBars(spanMillis: number, bar: Scratch, onBar: () => void) {
  let isOpen = false;

  /** Adds a trade; returns why it is invalid. */
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
