import { expect, it } from "vitest";
import { describeRefusals, REFUSAL_TEXT } from "../../src/model/refusal-text.ts";

it("names no command of a terminal, because the page shows it too", () => {
  expect(Object.values(REFUSAL_TEXT).filter((text) => text.includes("`edgemaker"))).toEqual([]);
});

it("describes why orders are not placed, each reason once", () => {
  const refused = [
    { reason: "no_quote" },
    { reason: "min_position" },
    { reason: "no_quote" },
    { reason: "rejected", detail: "Invalid price" },
  ];
  expect(describeRefusals(refused)).toBe(
    "2 orders: there is not enough free quote; 1 order: it has reached its minimum base; 1 order: Invalid price",
  );
});
