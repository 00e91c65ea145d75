import { createValue } from "./value.ts";

/** What tells how long ago something was is told anew so often. */
const CLOCK_EVERY = 5000;

/** At the same moments in every page that is open, so that they share what the server asks an exchange. */
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

/** The time, for as long as somebody looks. */
export const timeNow = createValue(Date.now());
setInterval(() => document.hidden || timeNow.set(Date.now()), CLOCK_EVERY);
