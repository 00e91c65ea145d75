import { useState } from "hono/jsx/dom";
import { useEffect } from "./effect.ts";

/** A value that the whole page shares. */
export interface Value<T> {
  get(): T;
  set(next: T): void;
  hear(listener: (now: T) => void): () => void;
}

export function createValue<T>(first: T): Value<T> {
  let now = first;
  const listeners = new Set<(now: T) => void>();
  return {
    get: () => now,
    set(next) {
      now = next;
      for (const listener of [...listeners]) listener(next);
    },
    hear(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useValue<T>(value: Value<T>): T {
  const [now, setNow] = useState(value.get());
  useEffect(() => {
    setNow(value.get());
    return value.hear((next) => setNow(next));
  }, [value]);
  return now;
}
