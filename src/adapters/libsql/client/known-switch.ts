import { isKeptBack, type Kill, type Panic, turned } from "../../../model/kill.ts";
import type { OrderKind } from "../../../model/order.ts";

const KILL_OFF: Kill = { on: false, cancels: false, sells: false };

/**
 * The kill switch as this process has turned it or has read it last. Turned on here it holds from that moment, also
 * while the write waits for a lock, and when nobody knows whether it was written; what is read afterwards counts again.
 */
export function knownSwitch() {
  let known: Kill = KILL_OFF;
  let turning = 0;
  let turns = 0;
  return {
    keepsBack: (kind: OrderKind): boolean => isKeptBack(known, kind),
    isTurning: (): boolean => turning > 0,
    /** How often it was turned here: what was asked for before the last time is not news. */
    turns: (): number => turns,
    read(found: Kill, requestCount: number): void {
      if (turning === 0 && requestCount === turns) known = found;
    },
    async turn<T>(on: boolean, panic: Panic, write: () => Promise<T>): Promise<T> {
      turns++;
      turning++;
      if (on) known = turned(known, on, panic);
      try {
        const written = await write();
        if (!on) known = KILL_OFF;
        return written;
      } finally {
        turning--;
      }
    },
  };
}
