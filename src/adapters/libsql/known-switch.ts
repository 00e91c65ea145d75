/**
 * The kill switch as this process has turned it or has read it last. Turned on here it holds from that moment, also
 * while the write waits for a lock, and when nobody knows whether it was written; what is read afterwards counts again.
 */
export function knownSwitch() {
  let on = false;
  let turning = 0;
  let turns = 0;
  return {
    isOn: (): boolean => on,
    isTurning: (): boolean => turning > 0,
    /** How often it was turned here: what was asked for before the last time is not news. */
    turns: (): number => turns,
    read(found: boolean, asked: number): void {
      if (turning === 0 && asked === turns) on = found;
    },
    async turn(to: boolean, write: () => Promise<unknown>): Promise<void> {
      turns++;
      turning++;
      on ||= to;
      try {
        await write();
        on = to;
      } finally {
        turning--;
      }
    },
  };
}
