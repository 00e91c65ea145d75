import { describe, expect, it } from "vitest";
import { january } from "../support/january.ts";
import { CASES, outcome, prepared, walked } from "./cases.ts";
import { stepped } from "./stepped.ts";

const month = january();
/** Volatility is looked at in every pass: a month of those takes the service hours. */
const MONTHS = CASES.filter(({ days }) => days === undefined || days[0] === 0);

describe.skipIf(!month)("a backtest of the real January of 2022", () => {
  it.each(MONTHS)("does what the service does: $name", async (one) => {
    const run = prepared(one, month as never);
    const { account, fills, balances, passes } = walked(run);
    const real = await stepped(one.grid, { ...run, passes });
    expect(outcome(account.strategy, fills, balances)).toEqual(
      outcome(real.strategy, real.fills, real.balances),
    );
  });
});
