import fc from "fast-check";
import { expect, it } from "vitest";
import {
  describeRefusal,
  describeRefusals,
  describeWaits,
  REFUSAL_TEXT,
  type Rejection,
  reasonOf,
  rejectionOf,
} from "../../src/model/refusal-text.ts";

const text = fc.string().filter((one) => one !== "not sent" && !one.startsWith("would take: "));

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

it("describes why slots of a grid wait, with the price that each needs", () => {
  const slots = [7, 8, 9].map((slot) => ({ slot, lowerPrice: 61_200 + 100 * (slot - 7) }));
  const waits = [8, 7].map((slot) => ({ slot, reason: "no_base" }));
  const other = "add --initial-buy";
  expect(describeWaits(waits.slice(1), slots, { other })).toBe(
    "1 of 3 slots waits: the price has to rise above 61200 first, or add --initial-buy",
  );
  expect(describeWaits([...waits, { slot: 9, reason: "killed" }], slots)).toBe(
    "2 of 3 slots wait: the price has to rise above 61200 (for the last slot above 61300) first; 1 of 3 slots waits: the kill switch is on",
  );
  expect(describeWaits(waits, [], { total: 3 })).toContain("rise above the slot's lower price first");
  const cheap = [{ slot: 7, lowerPrice: 1e-7 }];
  expect(describeWaits([{ slot: 7, reason: "no_base" }], cheap)).toContain("rise above 0.0000001 first");
  expect(describeWaits([], slots)).toBe("");
  expect(describeRefusal({ reason: "new_reason" })).toBe("new reason");
});

const rejections = fc.oneof(
  fc.constant<Rejection>({ cause: "not_sent" }),
  fc.string().map((one): Rejection => ({ cause: "would_take", text: one })),
  text.map((one): Rejection => ({ cause: "exchange", text: one })),
);

it("reads each cause from the reason that an order stores", () => {
  fc.assert(
    fc.property(rejections, (one) => {
      expect(rejectionOf(reasonOf(one))).toEqual(one);
    }),
  );
});

it("stores the same reasons as earlier versions, and takes an unknown one for the exchange's", () => {
  expect(reasonOf({ cause: "not_sent" })).toBe("not sent");
  expect(reasonOf({ cause: "would_take", text: "the ask is 99" })).toBe("would take: the ask is 99");
  expect(rejectionOf("it would take: 9")).toEqual({ cause: "exchange", text: "it would take: 9" });
  expect(rejectionOf(null)).toEqual({ cause: "exchange", text: "" });
});
