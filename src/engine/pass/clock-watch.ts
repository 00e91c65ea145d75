import { type Millis, SECOND } from "../../kernel/time.ts";
import type { Log } from "../../ports/local.ts";

/** How far the database's clock is ahead of this process's own: between two bounds, as an answer takes its time. */
interface Offset {
  readonly least: Millis;
  readonly most: Millis;
}

/** Clocks are set right by less, all the time. */
const JUMP: Millis = 2 * SECOND;

const offsets = new WeakMap<object, Offset>();

/** Logs that the database's clock has jumped since a lease was last taken. `store` is whose clock it is. */
export function watchClock(
  store: object,
  {
    log,
    ...at
  }: { readonly log: Log; readonly now: Millis; readonly sentAt: Millis; readonly answeredAt: Millis },
): void {
  const offset = { least: at.now - at.answeredAt, most: at.now - at.sentAt };
  const before = offsets.get(store);
  offsets.set(store, offset);
  if (!before) return;
  const ahead = offset.least - before.most;
  const behind = before.least - offset.most;
  const by = Math.max(ahead, behind);
  if (by <= JUMP) return;
  const seconds = Math.round(by / SECOND);
  log("warn", `the database's clock has jumped ${ahead > 0 ? "ahead" : "back"} by ${seconds} s`, { seconds });
}
