import type { Build } from "../ports/definition.ts";

/** A strategy's file as a function, whose parameters replace globals that it must not use. */
export interface StrategyScript {
  /** File and line of `orders`. */
  readonly source: string;
  readonly run: (...scope: readonly unknown[]) => void;
}

/** Strategies that a Worker contains. The build of the Worker replaces this file by one with the user's files. */
export const scripts: readonly StrategyScript[] = [];

/** Build of a Worker, from the same file. */
export const build: Build = { version: "unknown", commit: null };
