import { useLayoutEffect } from "hono/jsx/dom";

/**
 * Does something in the frame after what is shown has changed, or `deps` have, and undoes it at the next change. hono's own
 * runs as well what was overtaken before its frame came, or taken off the page, and never undoes that.
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
