import { expect, it } from "vitest";
import { readNumber } from "../../src/candles/fields.ts";

function read(text: string, to = text.length) {
  const figure = { digits: 0, decimals: 0 };
  return readNumber(new TextEncoder().encode(text), 0, to, figure)
    ? [figure.digits, figure.decimals]
    : undefined;
}

it("reads a number with a digit at least, as far as its field goes", () => {
  expect([read("."), read(".5"), read("5."), read("")]).toEqual([undefined, [5, 1], [5, 0], undefined]);
  expect([read("12.5"), read("12.5", 2), read("12.50", 4)]).toEqual([
    [125, 1],
    [12, 0],
    [125, 1],
  ]);
});
