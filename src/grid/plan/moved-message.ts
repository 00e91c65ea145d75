import { text } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Event } from "../../model/events.ts";
import { rangeNow } from "../state/range.ts";
import type { GridStrategy } from "../state/state.ts";

/** Events if the grid moved by itself in this pass; other events report changes by a person. */
export function movedEvents(before: GridStrategy, after: GridStrategy, at: Millis): Event[] {
  const how = howMoved(before, after);
  const range = rangeNow(after.state);
  if (how === undefined || range === undefined) return [];
  const message = `${how}: now from ${text(range.lower)} to ${text(range.upper)}`;
  return [{ account: after.account, strategy: after.id, at, kind: "moved", message }];
}

function howMoved(before: GridStrategy, after: GridStrategy): string | undefined {
  if (before.config !== after.config) return undefined;
  const steps = after.state.trail.steps - before.state.trail.steps;
  // A grid that is built for the first time has not moved, nor has one that could not be rebuilt.
  const isLaidAnew = before.state.rebuild !== null && after.state.generation !== before.state.generation;
  if (isLaidAnew) return after.config.centered ? "rebuilt around the market" : "rebuilt";
  if (steps === 0) return undefined;
  return steps > 0 ? "followed the market up" : "followed the market down";
}
