import { expect, it } from "vitest";
import { VenueError } from "../../src/kernel/errors.ts";
import { absenceCauseOf, absenceOf } from "../../src/liquidity/operations/sample.ts";

const view = (over: object = {}, reasons: readonly string[] = [], accountError: string | null = null) =>
  ({
    accountError,
    strategy: {
      wants: "run",
      phase: "active",
      ...over,
      state: { refused: reasons.map((reason, slot) => ({ slot, reason })) },
    },
  }) as never;
const causeOf = (...views: never[]) => absenceOf({ bids: 1, asks: 0 }, views);

it("a missing side has the cause that its strategies report", () => {
  expect(absenceOf({ bids: 1, asks: 2 }, [view()])).toBeNull();
  expect([absenceOf({ bids: 0, asks: 1 }, [view()]), absenceOf({ bids: 0, asks: 0 }, [view()])]).toEqual([
    "ours",
    "ours",
  ]);
  expect([causeOf(), causeOf(view({ wants: "stop" })), causeOf(view({ phase: "paused" }))]).toEqual(
    Array(3).fill("pause"),
  );
  expect(causeOf(view({ phase: "paused" }), view())).toBe("ours");
  expect(causeOf(view({}, ["killed"]))).toBe("pause");
  expect(causeOf(view({}, [], "no answer"))).toBe("exchange");
  expect(causeOf(view({}, ["no_base"]))).toBe("funds");
  expect(causeOf(view({}, ["max_position"]))).toBe("funds");
  expect([causeOf(view({}, ["rejected"])), causeOf(view())]).toEqual(["ours", "ours"]);
});

it("a book that could not be read is missing because of the exchange, or because of us", () => {
  const failed = new VenueError("unavailable", "no answer");
  expect([absenceCauseOf(failed), absenceCauseOf(new TypeError("a mistake"))]).toEqual(["exchange", "ours"]);
});
