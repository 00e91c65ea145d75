import type { Phase, Strategy } from "../../model/strategy.ts";

/**
 * Applies a person's resume: a strategy in error runs again until the cause recurs. Each resume applies once, so a
 * later error does not end by itself.
 */
export function applyResume(strategy: Strategy): Strategy {
  const { resumes, state, status, wants } = strategy;
  if (resumes === (state.resumes ?? 0)) return strategy;
  const noted = { ...strategy, state: { ...state, resumes } };
  if (status !== "error" || wants !== "run") return noted;
  return { ...noted, status: isWaiting(strategy) ? "idle" : "running", lastError: null };
}

// Its trigger has not been reached, so it has not started.
const isWaiting = ({ phase, config }: Strategy): boolean =>
  phase === "starting" && config.triggerPrice !== undefined;

/** Returns the phase of a paused strategy; if it has not started yet, it still must. */
export const pausedPhase = ({ phase }: Strategy): Phase => (phase === "starting" ? phase : "paused");
