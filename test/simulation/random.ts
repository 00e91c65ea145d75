/** Chance from a seed: the same seed draws the same run. */
export interface Random {
  /** In [0, 1). */
  share(): number;
  chance(probability: number): boolean;
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number;
  pick<T>(list: readonly T[]): T;
  text(length: number): string;
}

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const share = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  };
  const whole = (least: number, most: number) => least + Math.floor(share() * (most - least + 1));
  return {
    share,
    whole,
    chance: (probability) => share() < probability,
    pick: (list) => list[Math.floor(share() * list.length)] as never,
    text(length) {
      let text = "";
      for (let place = 0; place < length; place++) text += DIGITS[whole(0, 35)];
      return text;
    },
  };
}
