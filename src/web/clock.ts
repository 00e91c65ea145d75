import { createValue } from "./value.ts";

/** What tells how long ago something was is told anew so often. */
const EVERY = 5000;

/** The time, for as long as somebody looks. */
export const clock = createValue(Date.now());
setInterval(() => document.hidden || clock.set(Date.now()), EVERY);
