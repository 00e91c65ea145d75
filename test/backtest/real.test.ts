import { describe, expect, it } from "vitest";
import { type Candles, slice } from "../../src/candles/candles.ts";
import { DAY } from "../../src/kernel/time.ts";
import { january } from "../support/january.ts";
import { isWhole, partOf } from "../support/whole.ts";
import { CASES, type Case, outcome, prepared, walked } from "./cases.ts";
import { stepped } from "./stepped.ts";

const month = january();

/** A day on which the price falls from 46,400 to 43,000, unless a case asks for others. */
const daysOf = ({ days: [from, to] = [4.4, 5.1] }: Case, all: Candles): Candles =>
  slice(all, all.from + from * DAY, all.from + to * DAY);

/** Some hours of those days, in the fall where a case has all of it. */
const hoursOf = ({ days: [from, to] = [4.4, 5.1] }: Case): readonly [number, number] => {
  const begins = from < 4.65 && to > 5 ? 4.65 : from;
  return [begins, begins + 0.2];
};

describe.skipIf(!month)("a backtest of real bars", () => {
  it.each(partOf(CASES, 0))(
    "matches the service with its store and a venue in libSQL: $name",
    async (one) => {
      const days = isWhole ? one : { ...one, days: hoursOf(one) };
      const run = prepared(one, daysOf(days, month as Candles));
      const { account, fills, balances, passes } = walked(run);
      const real = await stepped(one.grid, { ...run, passes });
      expect(outcome(account.strategy, fills, balances)).toEqual(
        outcome(real.strategy, real.fills, real.balances),
      );
      expect(fills.length).toBeGreaterThan(0);
    },
  );

  it.each(partOf(CASES, 1))("skips no pass that would have changed something: $name", (one) => {
    const run = prepared(one, daysOf({ ...one, days: hoursOf(one) }, month as Candles));
    const [some, every] = [walked(run), walked(run, { everyPass: true })];
    const of = ({ account, fills, balances }: typeof some) => outcome(account.strategy, fills, balances);
    expect(of(some)).toEqual(of(every));
    expect(some.passes.length).toBeLessThanOrEqual(every.passes.length);
  });
});
