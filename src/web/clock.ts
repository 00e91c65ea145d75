import { createValue } from "./session.ts";

/** Interval in milliseconds at which relative times are updated. */
const CLOCK_INTERVAL_MS = 5000;

/** Calls back at the same moments on every open page, so that they share the server's requests to an exchange. */
export function onEach(millis: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    timer = setTimeout(
      () => {
        act();
        wait();
      },
      millis - (Date.now() % millis),
    );
  };
  wait();
  return () => clearTimeout(timer);
}

/** The current time, updated while a component uses it. */
export const timeNow = createValue(Date.now());
setInterval(() => document.hidden || timeNow.set(Date.now()), CLOCK_INTERVAL_MS);
