import type { PricePath } from "../../src/adapters/sandbox/matching.ts";
import { between, type Corner } from "../../src/market/matching.ts";
import type { Random } from "./random.ts";

/** A random walk in whole ticks with a corner each `step`, now and then with a jump; still after `until`. */
export function walk(
  random: Random,
  { start, until, ticks, step }: { start: number; until: number; ticks: number; step: number },
): PricePath {
  const size = random.pick([ticks / 200, ticks / 60, ticks / 25]);
  const corners: Corner[] = [{ at: start, ticks }];
  for (let at = start + step; at <= until; at += step) {
    const jump = random.chance(0.01) ? (random.share() - 0.5) * ticks * 0.2 : 0;
    const pull = (ticks - (corners.at(-1) as Corner).ticks) * 0.02;
    const next = Math.round((corners.at(-1) as Corner).ticks + (random.share() * 2 - 1) * size + pull + jump);
    corners.push({ at, ticks: Math.max(1, next) });
  }
  const last = corners.at(-1) as Corner;
  const placeOf = (time: number) => Math.floor((time - start) / step);
  const within = (from: number, to: number) =>
    corners.slice(Math.max(0, placeOf(from)), placeOf(to) + 2).filter(({ at }) => at > from && at < to);
  return {
    at(time) {
      if (time <= start) return ticks;
      const [left, right] = [corners[placeOf(time)], corners[placeOf(time) + 1]];
      return left && right ? between(left, right, time) : last.ticks;
    },
    corners: within,
    inside: (from, to) => within(from, to).map(({ ticks: price }) => price),
    volume: () => 1,
  };
}
