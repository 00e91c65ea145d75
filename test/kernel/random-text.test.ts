import { expect, it } from "vitest";
import { createRandomText } from "../../src/kernel/random.ts";

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
