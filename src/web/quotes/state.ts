import type { Quoted } from "../types.ts";

/** Returns the state of quotes, and what the user should check. */
export function quoteState({ phase, status, lastError, notices }: Quoted): {
  readonly name: string;
  readonly tone: "up" | "down" | "warn" | "";
  readonly todo: string | undefined;
} {
  const todo = lastError ?? notices[0]?.message ?? undefined;
  const name = status === "running" && phase !== "active" ? phase : status;
  const tone = status === "error" ? "down" : status === "stopped" ? "" : todo === undefined ? "up" : "warn";
  return { name, tone, todo };
}
