import { describe, expect, it } from "vitest";
import { createRandom, createRandomText, shuffled, xoshiro } from "../../src/kernel/random.ts";

describe("the seeded generator", () => {
  it("matches the published generator", () => {
    // The first outputs of xoshiro128** from the state 1, 2, 3, 4.
    const draw = xoshiro([1, 2, 3, 4]);
    expect([draw(), draw(), draw(), draw()]).toEqual([11_520, 0, 5_927_040, 70_819_200]);
  });

  it("draws unrelated values for neighboring seeds", () => {
    const draws = (seed: number) => {
      const draw = createRandom(seed);
      return Array.from({ length: 4000 }, () => draw() / 2 ** 32 - 0.5);
    };
    for (let seed = 0; seed < 40; seed++) {
      const [some, others] = [draws(seed), draws(seed + 1)];
      const covariance = some.reduce((sum, one, i) => sum + one * (others[i] as number), 0) / some.length;
      // Of 4,000 independent pairs the correlation lies within five deviations of nothing.
      expect(Math.abs(covariance * 12)).toBeLessThan(5 / Math.sqrt(4000));
    }
  });

  it("shuffles differently for each seed and keeps every value once", () => {
    const values = Array.from({ length: 200 }, (_, place) => place);
    const orders = [0, 1, 2, 3].map((seed) => shuffled(values, seed));
    for (const order of orders) expect([...order].sort((a, b) => a - b)).toEqual(values);
    for (const [place, order] of orders.slice(1).entries()) {
      const kept = order.filter((value, i) => value === orders[place]?.[i]).length;
      // One value in 200 stays where it was by chance.
      expect(kept).toBeLessThan(8);
    }
    expect(shuffled(values, 3)).toEqual(orders[3]);
  });
});

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";

it("randomText draws each of 36 digits from the same number of byte values", () => {
  const text = createRandomText((bytes) => bytes.set(bytes.map((_, i) => i)))(252 * 16);
  const counts = Array.from(DIGITS, (digit) => text.split(digit).length - 1);
  expect(counts).toEqual(Array.from(DIGITS, () => 7 * 16));
});

it("randomText uses each byte once, discards it, and requests more when all are used", () => {
  let last = new Uint8Array();
  let times = 0;
  const randomText = createRandomText((bytes) => {
    last = bytes;
    bytes.fill(++times);
  });
  expect(randomText(4)).toBe("1111");
  expect([...last.slice(0, 6)]).toEqual([0, 0, 0, 0, 1, 1]);
  expect(randomText(4093)).toBe(`${"1".repeat(4092)}2`);
  expect(times).toBe(2);
});
