/** Times that a clock has written while it was ahead: they count for nothing once it is right. */
import { expect, it } from "vitest";
import { confirm } from "../../src/engine/decide/ending.ts";
import { HOUR, MINUTE, SECOND } from "../../src/kernel/time.ts";
import { isBlind } from "../../src/quote/pass/sources.ts";
import { d } from "../support/grid.ts";

const NOW = 100 * HOUR;

it("a book read in the future does not count as old", () => {
  const observed = (bookAt: number) => ({ observed: { elsewhere: { bookAt } }, now: NOW }) as never;
  const config = { maxAge: 30 * SECOND } as never;
  expect(isBlind(config, observed(NOW - SECOND))).toBe(true);
  expect(isBlind(config, observed(NOW + HOUR))).toBe(false);
});

it("a move first observed in the future is dated to now and confirmed by the next read", () => {
  const observed = (at: number) => ({ bid: d("100"), ask: d("100.1"), at });
  const ahead = { move: "up", at: NOW + HOUR } as never;
  const first = confirm(ahead, "up" as never, observed(NOW));
  expect(first).toEqual({ signal: { move: "up", at: NOW }, confirmed: undefined });
  expect(confirm(first.signal, "up" as never, observed(NOW + MINUTE))).toMatchObject({ confirmed: "up" });
});
