import { text } from "../kernel/decimal.ts";
import type { Strategy } from "../records.ts";
import type { Pass } from "./step.ts";

/** How a start went, in a sentence. */
export function startTold(
  { id, status, phase, config }: Pick<Strategy, "id" | "status" | "phase" | "config">,
  { outcome, message }: Pass,
): string {
  if (outcome === "failed")
    return `${id} is stored and ${status}; its first pass failed (${message}) and is tried again`;
  if (outcome === "busy") return `${id} is stored and ${status}; its first orders follow with the next pass`;
  if (status === "idle" && config.triggerPrice !== undefined)
    return `${id} waits until the market reaches ${text(config.triggerPrice)}`;
  return phase === "active"
    ? `${id} is running and its orders rest`
    : `${id} is ${status}; more of its orders follow`;
}
