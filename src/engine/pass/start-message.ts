import { text } from "../../kernel/decimal.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Pass } from "./step.ts";

/** Describes how a start went; `pass` is its first pass, if this process runs passes. */
export function describeStart(
  { id, status, phase, config }: Pick<Strategy, "id" | "status" | "phase" | "config">,
  pass: Pass | undefined,
): string {
  if (pass?.outcome === "failed")
    return `${id} is stored and ${status}; its first pass failed (${pass.message}) and is tried again`;
  if (pass === undefined || pass.outcome === "busy")
    return `${id} is stored and ${status}; its first orders follow with the next pass`;
  if (status === "stopped") return `${id} has been started, and stopped since`;
  if (status === "idle" && config.triggerPrice !== undefined)
    return `${id} waits until the market reaches ${text(config.triggerPrice)}`;
  return phase === "active"
    ? `${id} is running and its orders are placed`
    : `${id} is ${status}; more of its orders follow`;
}
