import { useLayoutEffect } from "hono/jsx/dom";

/**
 * Runs an effect after the next frame when the content or `deps` change, and cleans up before the next change. hono's
 * own version also runs effects that are outdated or whose component was removed, and never cleans those up.
 */
export function useEffect(effect: () => (() => void) | undefined, deps: readonly unknown[]): void {
  useLayoutEffect(() => {
    let undo: (() => void) | undefined;
    const frame = requestAnimationFrame(() => {
      undo = effect();
    });
    return () => {
      cancelAnimationFrame(frame);
      undo?.();
    };
  }, [...deps]);
}
