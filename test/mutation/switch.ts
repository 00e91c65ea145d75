/** More changes than there are. */
export const MAX_CHANGES = 65_536;

/** Which change is taken, and which ones were asked for. */
const state = { active: Number(process.env.MUTANT ?? -1), reached: new Uint8Array(MAX_CHANGES) };

const shared = globalThis as unknown as { __mutant: (number: number) => boolean };

const isActive = (number: number): boolean => number === state.active;
/** Notes that a change was asked for. */
export const note = (number: number): boolean => {
  state.reached[number] = 1;
  return false;
};

shared.__mutant = isActive;

export function turnOn(number: number): void {
  state.active = number;
  shared.__mutant = isActive;
}

/** The change that is on; undefined while it is noted what is asked for. */
export const activeChange = (): number | undefined => (shared.__mutant === note ? undefined : state.active);

export const turnOff = (): void => turnOn(-1);

/** From now on it is noted what is asked for; answers what was until now. */
export function takeRequested(): number[] {
  const before: number[] = [];
  for (const [number, isRequested] of state.reached.entries()) if (isRequested) before.push(number);
  state.reached.fill(0);
  shared.__mutant = note;
  return before;
}
