import { type Millis, SECOND } from "../../kernel/time.ts";
import type { Log } from "../../ports/local.ts";

/** How far the database's clock is ahead of this process's clock, as bounds, because a response takes time. */
interface Offset {
  readonly least: Millis;
  readonly most: Millis;
}

/** Smaller corrections of clocks are normal. */
const JUMP: Millis = 2 * SECOND;

const offsets = new WeakMap<object, Offset>();

/** Logs a jump of the database's clock since the last lease. `store` identifies the clock. */
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
