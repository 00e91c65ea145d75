import type { Millis } from "../../kernel/time.ts";
import type { Hint } from "../../ports/stream.ts";

/** Hints of one kind and pair within this time become one. */
const MERGE_FOR: Millis = 50;

/** Passes the first hint on at once, and the newest of each kind and pair after that, so a flood costs little. */
export function mergedHints(
  emit: (hint: Hint) => void,
  after: (millis: Millis, run: () => void) => () => void,
) {
  const waiting = new Map<string, Hint>();
  const recent = new Map<string, () => void>();

  function pass(key: string, hint: Hint) {
    recent.set(
      key,
      after(MERGE_FOR, () => {
        recent.delete(key);
        const next = waiting.get(key);
        waiting.delete(key);
        if (next) pass(key, next);
      }),
    );
    emit(hint);
  }

  return {
    add(hint: Hint) {
      const key = `${hint.kind} ${hint.symbol}`;
      if (recent.has(key)) waiting.set(key, hint);
      else pass(key, hint);
    },
    close() {
      for (const stop of recent.values()) stop();
      waiting.clear();
      recent.clear();
    },
  };
}
